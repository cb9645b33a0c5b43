import { Module } from '@nestjs/common';
import { LaneMetrics } from './lane-metrics.js';
import { LanesController } from './lanes.controller.js';

@Module({ controllers: [LanesController], providers: [LaneMetrics], exports: [LaneMetrics] })
export class LanesModule {}
