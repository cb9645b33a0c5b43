import { Module } from '@nestjs/common';
import { ProvidersController } from './providers.controller.js';
import { ProviderService } from './providers.service.js';

@Module({ controllers: [ProvidersController], providers: [ProviderService] })
export class ProvidersModule {}
