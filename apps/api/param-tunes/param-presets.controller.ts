import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ParamPreset, ParamPresetInput } from '#lib/param-tune/contract';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { LISTS_BYTES } from '../platform/body-bounds.js';
import { About, Answers, Changes, idCursor, Me, TakesUpTo, uuid, type Change } from '../platform/decorators.js';
import { ParamPresetService } from './param-presets.service.js';

@Controller('api/param-presets')
export class ParamPresetsController {
  constructor(readonly service: ParamPresetService) {}

  @Get()
  @About('List presets', 'Search spaces that the team keeps, the newest first.')
  @Answers(200, pageOf(ParamPreset))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.service.list(caller, { limit, cursor: idCursor(cursor) });
  }

  @Post()
  @TakesUpTo(LISTS_BYTES, ParamPresetInput)
  @About('Create a preset', 'A search space for later tunes. Answers 409 when the team has a preset of that name.')
  @Answers(201, ParamPreset, 409)
  create(@Me() caller: Caller, @Body({ schema: ParamPresetInput }) input: ParamPresetInput, @Changes() change: Change) {
    return this.service.create(caller, input, change);
  }

  @Delete(':id')
  @About('Delete a preset', 'Tunes that used it keep their copy of the space.')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid('preset', id), change);
  }
}
