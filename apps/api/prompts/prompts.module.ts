import { Module } from '@nestjs/common';
import { ThreadsModule } from '../threads/threads.module.js';
import { PromptVersionsController } from './prompt-versions.controller.js';
import { PromptVersionService } from './prompt-versions.service.js';

@Module({
  imports: [ThreadsModule],
  controllers: [PromptVersionsController],
  providers: [PromptVersionService],
})
export class PromptsModule {}
