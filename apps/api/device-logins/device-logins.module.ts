import { Module } from '@nestjs/common';
import { DeviceLoginsController } from './device-logins.controller.js';

@Module({ controllers: [DeviceLoginsController] })
export class DeviceLoginsModule {}
