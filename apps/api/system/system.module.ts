import { Module } from '@nestjs/common';
import { SealingMetrics } from './sealing-metrics.js';
import { SystemController } from './system.controller.js';

@Module({ controllers: [SystemController], providers: [SealingMetrics], exports: [SealingMetrics] })
export class SystemModule {}
