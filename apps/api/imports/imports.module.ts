import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { ImportsController } from './imports.controller.js';

@Module({ imports: [SuitesModule], controllers: [ImportsController] })
export class ImportsModule {}
