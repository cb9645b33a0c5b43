// A thread that reads and scores replies that may take long.
import { answerTasks } from '#lib/runtime/threads/thread';
import { runScoringTask } from './scoring-work.js';

answerTasks(runScoringTask);
