import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { TryOutsController } from './try-outs.controller.js';
import { TryOutService } from './try-outs.service.js';

@Module({ imports: [SuitesModule], controllers: [TryOutsController], providers: [TryOutService] })
export class TryOutsModule {}
