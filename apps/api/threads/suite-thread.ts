import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { runSuiteTask, type SuiteTask } from './suite-tasks.js';

serveTasks((task: SuiteTask) => runSuiteTask(task));
