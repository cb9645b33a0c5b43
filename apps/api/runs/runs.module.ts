import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { RunEstimator } from './estimate-run.js';
import { ResumeController } from './resume.controller.js';
import { RunsController } from './runs.controller.js';
import { RunService } from './runs.service.js';

@Module({
  imports: [JobsModule, ThreadsModule],
  controllers: [RunsController, ResumeController],
  providers: [RunService, RunEstimator],
  exports: [RunService],
})
export class RunsModule {}
