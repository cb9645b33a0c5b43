import { Module } from '@nestjs/common';
import { ComparisonAnswersModule } from './comparison-answers.module.js';
import { ComparisonsController } from './comparisons.controller.js';
import { RankingController } from './ranking.controller.js';

@Module({
  imports: [ComparisonAnswersModule],
  controllers: [ComparisonsController, RankingController],
})
export class ComparisonsModule {}
