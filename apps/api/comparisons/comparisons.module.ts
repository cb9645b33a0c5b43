import { Module } from '@nestjs/common';
import { ComparisonsController } from './comparisons.controller.js';
import { ComparisonService } from './comparisons.service.js';

@Module({ controllers: [ComparisonsController], providers: [ComparisonService] })
export class ComparisonsModule {}
