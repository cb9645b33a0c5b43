import { Module } from '@nestjs/common';
import { JudgeController, JudgeSettingsController } from './judge.controller.js';
import { JudgeService } from './judge.service.js';

@Module({ controllers: [JudgeController, JudgeSettingsController], providers: [JudgeService] })
export class JudgeModule {}
