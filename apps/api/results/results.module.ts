import { Module } from '@nestjs/common';
import { ResultsController } from './results.controller.js';
import { ResultService } from './results.service.js';

@Module({ controllers: [ResultsController], providers: [ResultService] })
export class ResultsModule {}
