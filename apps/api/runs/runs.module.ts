import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { RunsController } from './runs.controller.js';

@Module({ imports: [SuitesModule], controllers: [RunsController] })
export class RunsModule {}
