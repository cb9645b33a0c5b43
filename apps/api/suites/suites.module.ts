import { Module } from '@nestjs/common';
import { Shutdown } from '../platform/shutdown.js';
import { ComparisonAnswersModule } from '../comparisons/comparison-answers.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { CaseService } from './cases.service.js';
import { SuiteExporter } from './suite-exporter.js';
import { SuiteStreams } from './suite-streams.js';
import { SuiteValidator } from './suite-validator.js';
import { SuiteVersionsController } from './suite-versions.controller.js';
import { SuitesController } from './suites.controller.js';

@Module({
  imports: [ThreadsModule, ComparisonAnswersModule],
  controllers: [SuitesController, SuiteVersionsController],
  providers: [
    CaseService,
    SuiteValidator,
    SuiteExporter,
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
  exports: [SuiteValidator, SuiteExporter],
})
export class SuitesModule {}
