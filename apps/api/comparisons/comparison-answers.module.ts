import { Module } from '@nestjs/common';
import { ComparisonThreads } from '#lib/comparison/threads/comparison-threads';
import type { Env } from '#lib/runtime/env';
import { Shutdown } from '../platform/shutdown.js';
import { ENV } from '../platform/stores.js';
import { ComparisonAnswers, MAX_WAITING } from './comparison-answers.js';

/**
 * One `ComparisonAnswers` shared by every feature that compares. It has no routes, so its place among the modules does
 * not matter.
 */
@Module({
  providers: [
    {
      provide: ComparisonAnswers,
      inject: [ENV, Shutdown],
      useFactory: ({ DATABASE_URL: databaseUrl }: Env, { longAnswers }: Shutdown) => {
        const threads = new ComparisonThreads({ databaseUrl, maxWaiting: MAX_WAITING });
        const answers = new ComparisonAnswers(threads);
        longAnswers.addEventListener('abort', () => answers.close());
        return Object.assign(answers, { onApplicationShutdown: () => threads.close() });
      },
    },
  ],
  exports: [ComparisonAnswers],
})
export class ComparisonAnswersModule {}
