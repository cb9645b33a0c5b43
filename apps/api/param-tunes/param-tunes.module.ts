import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { ParamPresetsController } from './param-presets.controller.js';
import { ParamPresetService } from './param-presets.service.js';
import { ParamTunesController } from './param-tunes.controller.js';
import { ParamTuneService } from './param-tunes.service.js';

@Module({
  imports: [RunsModule, ThreadsModule],
  controllers: [ParamTunesController, ParamPresetsController],
  providers: [ParamTuneService, ParamPresetService],
})
export class ParamTunesModule {}
