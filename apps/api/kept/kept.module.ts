import { Module } from '@nestjs/common';
import { KeptController } from './kept.controller.js';

@Module({ controllers: [KeptController] })
export class KeptModule {}
