import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { ImportsController } from './imports.controller.js';

@Module({ imports: [SuitesModule, ThreadsModule], controllers: [ImportsController] })
export class ImportsModule {}
