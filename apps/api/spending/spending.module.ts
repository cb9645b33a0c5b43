import { Module } from '@nestjs/common';
import { SpendingController } from './spending.controller.js';
import { SpendingService } from './spending.service.js';

@Module({ controllers: [SpendingController], providers: [SpendingService] })
export class SpendingModule {}
