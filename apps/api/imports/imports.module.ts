import { Module } from '@nestjs/common';
import { SuitesModule } from '../suites/suites.module.js';
import { ImportsController } from './imports.controller.js';
import { ImportService } from './imports.service.js';

@Module({ imports: [SuitesModule], controllers: [ImportsController], providers: [ImportService] })
export class ImportsModule {}
