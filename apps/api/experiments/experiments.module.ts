import { Module } from '@nestjs/common';
import { ExperimentsController } from './experiments.controller.js';
import { ExperimentService } from './experiments.service.js';

@Module({ controllers: [ExperimentsController], providers: [ExperimentService] })
export class ExperimentsModule {}
