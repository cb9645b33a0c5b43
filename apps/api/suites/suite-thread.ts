import { answerTasks } from '#lib/runtime/threads/thread-entry';
import { workOnSuite, type SuiteTask } from './suite-work.js';

answerTasks((task: SuiteTask) => workOnSuite(task));
