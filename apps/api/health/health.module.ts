import { Module } from '@nestjs/common';
import { LanesModule } from '../lanes/lanes.module.js';
import { SystemModule } from '../system/system.module.js';
import { HealthController } from './health.controller.js';

@Module({ imports: [LanesModule, SystemModule], controllers: [HealthController] })
export class HealthModule {}
