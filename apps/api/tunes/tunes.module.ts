import { Module } from '@nestjs/common';
import { RunsModule } from '../runs/runs.module.js';
import { ParamPresetsController } from './param-presets.controller.js';
import { ParamPresetService } from './param-presets.service.js';
import { ParamTuneService } from './param-tunes.service.js';
import { ParamTunesController } from './param-tunes.controller.js';

@Module({
  imports: [RunsModule],
  controllers: [ParamTunesController, ParamPresetsController],
  providers: [ParamTuneService, ParamPresetService],
})
export class TunesModule {}
