import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { workOnSuite, type SuiteTask } from './suite-work.js';

serveTasks((task: SuiteTask) => workOnSuite(task));
