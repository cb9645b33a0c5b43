import { Module } from '@nestjs/common';
import { JobsController } from './jobs.controller.js';
import { JobService } from './jobs.service.js';

@Module({ controllers: [JobsController], providers: [JobService], exports: [JobService] })
export class JobsModule {}
