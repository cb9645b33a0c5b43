import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { TryOutsController } from './try-outs.controller.js';

@Module({ imports: [SuitesModule], controllers: [TryOutsController] })
export class TryOutsModule {}
