import { Module } from '@nestjs/common';
import { CalibrationController } from './calibration.controller.js';
import { LabelsController } from './labels.controller.js';

@Module({ controllers: [LabelsController, CalibrationController] })
export class LabelsModule {}
