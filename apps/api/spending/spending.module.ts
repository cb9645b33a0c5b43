import { Module } from '@nestjs/common';
import { SpendingController } from './spending.controller.js';

@Module({ controllers: [SpendingController] })
export class SpendingModule {}
