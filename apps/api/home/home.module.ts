import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { HomeController } from './home.controller.js';
import { HomeService } from './home.service.js';

@Module({ imports: [JobsModule], controllers: [HomeController], providers: [HomeService] })
export class HomeModule {}
