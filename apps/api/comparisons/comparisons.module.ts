import { Module } from '@nestjs/common';
import { ComparisonTurnsModule } from './comparison-turns.module.js';
import { ComparisonsController } from './comparisons.controller.js';
import { ComparisonService } from './comparisons.service.js';

@Module({
  imports: [ComparisonTurnsModule],
  controllers: [ComparisonsController],
  providers: [ComparisonService],
})
export class ComparisonsModule {}
