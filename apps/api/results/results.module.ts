import { Module } from '@nestjs/common';
import { ResultsController } from './results.controller.js';
import { ResultService } from './results.service.js';
import { RunFiguresController } from './run-figures.controller.js';
import { RunFiguresService } from './run-figures.service.js';

@Module({
  controllers: [ResultsController, RunFiguresController],
  providers: [ResultService, RunFiguresService],
})
export class ResultsModule {}
