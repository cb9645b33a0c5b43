import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { McpController } from './mcp.controller.js';

@Module({ imports: [SuitesModule], controllers: [McpController] })
export class McpModule {}
