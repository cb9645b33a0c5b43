import { Module } from '@nestjs/common';
import { QuotasController } from './quotas.controller.js';
import { SettingsController } from './settings.controller.js';

@Module({ controllers: [SettingsController, QuotasController] })
export class SettingsModule {}
