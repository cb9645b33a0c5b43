import { Module } from '@nestjs/common';
import { ThreadsModule } from '../threads/threads.module.js';
import { RecordedController } from './recorded.controller.js';
import { RecordedService } from './recorded.service.js';

@Module({ imports: [ThreadsModule], controllers: [RecordedController], providers: [RecordedService] })
export class RecordedModule {}
