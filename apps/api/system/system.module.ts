import { Module } from '@nestjs/common';
import { SealedCounts } from './sealed-counts.js';
import { SealingMetrics } from './sealing-metrics.js';
import { SystemController } from './system.controller.js';

@Module({ controllers: [SystemController], providers: [SealedCounts, SealingMetrics], exports: [SealingMetrics] })
export class SystemModule {}
