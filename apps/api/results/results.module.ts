import { Module } from '@nestjs/common';
import { ReadingThreads } from './reading-threads.js';
import { ResultsController } from './results.controller.js';
import { ResultService } from './results.service.js';
import { RunFiguresController } from './run-figures.controller.js';

@Module({
  controllers: [ResultsController, RunFiguresController],
  providers: [ResultService, ReadingThreads],
})
export class ResultsModule {}
