import { Module } from '@nestjs/common';
import { ComparisonAnswersModule } from '../comparisons/comparison-answers.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { GateEstimatesController } from './gate-estimates.controller.js';
import { GatesController } from './gates.controller.js';

@Module({
  imports: [RunsModule, ComparisonAnswersModule],
  controllers: [GatesController, GateEstimatesController],
})
export class GatesModule {}
