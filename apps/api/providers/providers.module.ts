import { Module } from '@nestjs/common';
import { readKnownPrices } from '#lib/providers/prices/read-prices';
import type { Env } from '#lib/runtime/env';
import { ENV } from '../platform/stores.js';
import { KeyRefsController } from './key-refs.controller.js';
import { KNOWN_PRICES, PricesController } from './prices.controller.js';
import { ProvidersController } from './providers.controller.js';

@Module({
  controllers: [KeyRefsController, ProvidersController, PricesController],
  providers: [
    {
      provide: KNOWN_PRICES,
      inject: [ENV],
      useFactory: ({ TOOLMARK_PRICES_FILE: file }: Env) => readKnownPrices(file),
    },
  ],
})
export class ProvidersModule {}
