import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { PromptTunesController } from './prompt-tunes.controller.js';
import { PromptTuneService } from './prompt-tunes.service.js';

@Module({
  imports: [RunsModule, ThreadsModule],
  controllers: [PromptTunesController],
  providers: [PromptTuneService],
})
export class PromptTunesModule {}
