import { Controller, Get } from '@nestjs/common';
import { Home } from '#lib/contracts/home';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Me } from '../platform/decorators.js';
import { HomeService } from './home.service.js';

@Controller('api/home')
export class HomeController {
  constructor(readonly service: HomeService) {}

  @Get()
  @About(
    'Read what goes on',
    'What needs somebody, what is under way, how the suites went that ran last, and what the month cost so far.',
  )
  @Answers(200, Home)
  home(@Me() caller: Caller): Promise<Home> {
    return this.service.read(caller);
  }
}
