// A thread that reads and scores the replies that may take long.
import { answerTasks } from '#lib/runtime/threads/thread-entry';
import { work } from './scoring-work.js';

answerTasks(work);
