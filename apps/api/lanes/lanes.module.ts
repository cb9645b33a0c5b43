import { Module } from '@nestjs/common';
import { LanesController } from './lanes.controller.js';
import { LaneMetrics } from './lane-metrics.js';

@Module({ controllers: [LanesController], providers: [LaneMetrics], exports: [LaneMetrics] })
export class LanesModule {}
