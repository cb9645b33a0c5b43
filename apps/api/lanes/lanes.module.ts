import { Module } from '@nestjs/common';
import { LaneMetrics } from './lane-metrics.js';
import { LanesController } from './lanes.controller.js';
import { LaneService } from './lanes.service.js';

@Module({ controllers: [LanesController], providers: [LaneService, LaneMetrics], exports: [LaneMetrics] })
export class LanesModule {}
