import { Module } from '@nestjs/common';
import { CalibrationController } from './calibration.controller.js';
import { CalibrationService } from './calibration.service.js';
import { LabelsController } from './labels.controller.js';
import { LabelService } from './labels.service.js';

@Module({ controllers: [LabelsController, CalibrationController], providers: [LabelService, CalibrationService] })
export class LabelsModule {}
