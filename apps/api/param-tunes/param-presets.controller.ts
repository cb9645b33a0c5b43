import { Body, Controller, Delete, Get, Param, Post, Query, Inject } from '@nestjs/common';
import { ParamPreset, ParamPresetInput, ParamTuneInput } from '#lib/param-tune/contract';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { LISTS_BYTES } from '../platform/body-bounds.js';
import { About, Answers, Changes, idCursor, Me, TakesUpTo, uuid, type Change } from '../platform/decorators.js';
import type { JsonObject } from '#lib/contracts/json/json';
import { audit } from '#lib/db/catalogue/audit';
import { ParamPresetRepository } from '#lib/param-tune/rows/param-presets';
import type { Pool } from '#lib/db/connection/pool';
import { expandSpace } from '#lib/param-tune/space/arms';
import { POOL } from '../platform/stores.js';
import { refuseLongSpaces } from './refuse-long-spaces.js';

/** Manages saved search spaces. */
@Controller('api/param-presets')
export class ParamPresetsController {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  @Get()
  @About('List presets', 'Search spaces that the team keeps, the newest first.')
  @Answers(200, pageOf(ParamPreset))
  list(@Me() { teamId }: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new ParamPresetRepository(this.pool, teamId).list({ limit, cursor: idCursor(cursor) });
  }

  /** @throws ProblemError 422 for a space that no tune could search, 409 when another preset has its name */
  @Post()
  @TakesUpTo(LISTS_BYTES, ParamPresetInput)
  @About('Create a preset', 'A search space for later tunes. Answers 409 when the team has a preset of that name.')
  @Answers(201, ParamPreset, 409)
  async create(
    @Me() caller: Caller,
    @Body({ schema: ParamPresetInput }) input: ParamPresetInput,
    @Changes() change: Change,
  ): Promise<ParamPreset> {
    refuseLongSpaces(input);
    expandSpace(input.search_space as JsonObject, { ...BASE, max_tokens: null }, ['search_space']);
    return change(async (client) => {
      const preset = await new ParamPresetRepository(client, caller.teamId).create(input);
      await audit(client, caller, 'param_preset.create', preset.id, { after: input });
      return preset;
    });
  }

  @Delete(':id')
  @About('Delete a preset', 'Tunes that used it keep their copy of the space.')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const presetId = uuid('preset', id);
    return change(async (client) => {
      const before = await new ParamPresetRepository(client, caller.teamId).delete(presetId);
      await audit(client, caller, 'param_preset.delete', presetId, { before });
    });
  }
}

const BASE = ParamTuneInput.shape.base.parse({});
