import { Module } from '@nestjs/common';
import { ComparisonTurns } from './comparison-turns.js';
import { ComparisonsController } from './comparisons.controller.js';
import { ComparisonService } from './comparisons.service.js';

@Module({
  controllers: [ComparisonsController],
  providers: [ComparisonService, ComparisonTurns],
  exports: [ComparisonTurns],
})
export class ComparisonsModule {}
