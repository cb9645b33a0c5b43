import { Module } from '@nestjs/common';
import { ComparisonAnswersModule } from '../comparisons/comparison-answers.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { GateRunService } from './gate-runs.service.js';
import { GatesController } from './gates.controller.js';
import { GateService } from './gates.service.js';

@Module({
  imports: [RunsModule, ComparisonAnswersModule],
  controllers: [GatesController],
  providers: [GateService, GateRunService],
})
export class GatesModule {}
