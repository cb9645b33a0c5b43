import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { ParamPresetsController } from './param-presets.controller.js';
import { ParamTunesController } from './param-tunes.controller.js';

@Module({
  imports: [RunsModule, ThreadsModule],
  controllers: [ParamTunesController, ParamPresetsController],
})
export class ParamTunesModule {}
