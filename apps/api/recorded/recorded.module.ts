import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { RecordedController } from './recorded.controller.js';

@Module({ imports: [SuitesModule], controllers: [RecordedController] })
export class RecordedModule {}
