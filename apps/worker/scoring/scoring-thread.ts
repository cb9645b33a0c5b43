// A thread that reads and scores the replies that may take long.
import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { work } from './scoring-work.js';

serveTasks(work);
