import { Controller, Get, Inject } from '@nestjs/common';
import { KnownPrices } from '#lib/contracts/known-prices';
import { About, Answers } from '../platform/decorators.js';

export const KNOWN_PRICES = Symbol('KNOWN_PRICES');

@Controller('api/prices')
export class PricesController {
  constructor(@Inject(KNOWN_PRICES) readonly known: KnownPrices) {}

  @Get()
  @About(
    'List known prices',
    'What common hosts charge for their models, by their public documentation. A provider uses none of it until its ' +
      'models are given prices.',
  )
  @Answers(200, KnownPrices)
  list() {
    return this.known;
  }
}
