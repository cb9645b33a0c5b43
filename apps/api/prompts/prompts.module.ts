import { Module } from '@nestjs/common';
import { ThreadsModule } from '../threads/threads.module.js';
import { PromptVersionsController } from './prompt-versions.controller.js';

@Module({
  imports: [ThreadsModule],
  controllers: [PromptVersionsController],
})
export class PromptsModule {}
