import { Module } from '@nestjs/common';
import { Shutdown } from '../platform/shutdown.js';
import { SuiteStreams } from './suite-streams.js';
import { SuiteThreads } from './suite-threads.js';
import { SuitesController } from './suites.controller.js';

@Module({
  controllers: [SuitesController],
  providers: [
    { provide: SuiteThreads, useFactory: () => new SuiteThreads() },
    {
      provide: SuiteStreams,
      inject: [Shutdown],
      useFactory: ({ longAnswers }: Shutdown) => {
        const streams = new SuiteStreams();
        longAnswers.addEventListener('abort', () => streams.close());
        return streams;
      },
    },
  ],
  exports: [SuiteThreads, SuiteStreams],
})
export class SuitesModule {}
