import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { ExperimentsController } from './experiments.controller.js';
import { ExperimentService } from './experiments.service.js';

@Module({ imports: [RunsModule], controllers: [ExperimentsController], providers: [ExperimentService] })
export class ExperimentsModule {}
