import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { ExperimentsController } from './experiments.controller.js';

@Module({ imports: [RunsModule], controllers: [ExperimentsController] })
export class ExperimentsModule {}
