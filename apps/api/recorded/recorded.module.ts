import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { RecordedController } from './recorded.controller.js';
import { RecordedService } from './recorded.service.js';

@Module({ imports: [SuitesModule], controllers: [RecordedController], providers: [RecordedService] })
export class RecordedModule {}
