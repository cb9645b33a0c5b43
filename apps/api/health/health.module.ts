import { Module } from '@nestjs/common';
import { LanesModule } from '../lanes/lanes.module.js';
import { HealthController } from './health.controller.js';

@Module({ imports: [LanesModule], controllers: [HealthController] })
export class HealthModule {}
