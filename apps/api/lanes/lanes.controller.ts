import { Controller, Get, Param, Post } from '@nestjs/common';
import { Lane } from '#lib/contracts/lane';
import { pageOf } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { LaneService } from './lanes.service.js';

@Controller('api/lanes')
export class LanesController {
  constructor(readonly service: LaneService) {}

  @Get()
  @About('List lanes', 'Lanes that a provider uses or that have work, by name, all on one page.')
  @Answers(200, pageOf(Lane))
  async list(@Me() caller: Caller) {
    return { items: await this.service.list(caller), next_cursor: null };
  }

  @Post(':id/pause')
  @About('Pause a lane', 'Sends no new requests in it until it is resumed. Requests under way end as usual.')
  @Needs('owner')
  @Answers(200, Lane, 404)
  pause(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.service.setPaused(caller, uuid('lane', id), true, change);
  }

  @Post(':id/resume')
  @About('Resume a lane', 'Sends its waiting requests. A lane that is not paused does not change.')
  @Needs('owner')
  @Answers(200, Lane, 404)
  resume(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.service.setPaused(caller, uuid('lane', id), false, change);
  }
}
