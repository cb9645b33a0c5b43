import { Module } from '@nestjs/common';
import { ComparisonTurnsModule } from './comparison-turns.module.js';
import { ComparisonsController } from './comparisons.controller.js';
import { ComparisonService } from './comparisons.service.js';
import { RankingController } from './ranking.controller.js';
import { RankingService } from './ranking.service.js';

@Module({
  imports: [ComparisonTurnsModule],
  controllers: [ComparisonsController, RankingController],
  providers: [ComparisonService, RankingService],
})
export class ComparisonsModule {}
