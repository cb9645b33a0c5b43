import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { McpSyncService } from './mcp-sync.service.js';
import { McpController } from './mcp.controller.js';
import { Discoveries } from './discoveries.js';
import { ServerTools } from './server-tools.js';

@Module({
  imports: [SuitesModule, ThreadsModule],
  controllers: [McpController],
  providers: [McpSyncService, Discoveries, ServerTools],
})
export class McpModule {}
