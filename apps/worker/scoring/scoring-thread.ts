// A thread that reads and scores the replies that may take long.
import { answerTasks } from '#lib/runtime/threads/thread';
import { work } from './scoring-work.js';

answerTasks(work);
