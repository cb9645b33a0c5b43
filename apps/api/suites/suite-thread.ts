import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { runSuiteTask, type SuiteTask } from './suite-work.js';

serveTasks((task: SuiteTask) => runSuiteTask(task));
