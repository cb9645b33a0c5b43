import { Module } from '@nestjs/common';
import { GatesController } from './gates.controller.js';
import { GateService } from './gates.service.js';

@Module({ controllers: [GatesController], providers: [GateService] })
export class GatesModule {}
