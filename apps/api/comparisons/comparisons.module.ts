import { Module } from '@nestjs/common';
import { ComparisonAnswersModule } from './comparison-answers.module.js';
import { ComparisonsController } from './comparisons.controller.js';
import { ComparisonService } from './comparisons.service.js';
import { RankingController } from './ranking.controller.js';
import { RankingService } from './ranking.service.js';

@Module({
  imports: [ComparisonAnswersModule],
  controllers: [ComparisonsController, RankingController],
  providers: [ComparisonService, RankingService],
})
export class ComparisonsModule {}
