// A thread that reads large responses of providers.
import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { buffersOf, runReadingTask } from './reading-work.js';

serveTasks(runReadingTask, buffersOf);
