import { Module } from '@nestjs/common';
import { NotesController } from './notes.controller.js';
import { ReadingThreads } from './reading-threads.js';
import { ResultsController } from './results.controller.js';
import { ResultService } from './results.service.js';
import { RunFiguresController } from './run-figures.controller.js';

@Module({
  controllers: [ResultsController, NotesController, RunFiguresController],
  providers: [ResultService, ReadingThreads],
})
export class ResultsModule {}
