import { Module } from '@nestjs/common';
import { BODY_READER } from '../platform/stores.js';
import { SuiteThreads } from './suite-threads.js';

/** The threads of the API. Work on a whole suite or file runs there, because it would block every other request. */
@Module({
  providers: [
    { provide: SuiteThreads, useFactory: () => new SuiteThreads() },
    { provide: BODY_READER, useExisting: SuiteThreads },
  ],
  exports: [SuiteThreads],
})
export class ThreadsModule {}
