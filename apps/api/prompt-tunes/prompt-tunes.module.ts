import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { PromptTunesController } from './prompt-tunes.controller.js';

@Module({
  imports: [RunsModule, ThreadsModule],
  controllers: [PromptTunesController],
})
export class PromptTunesModule {}
