import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Page, PageQuery } from '#lib/contracts/page';
import { ParamTuneInput, type ParamPreset, type ParamPresetInput } from '#lib/param-tune/contract';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { ParamPresetRepository } from '#lib/param-tune/rows/param-presets';
import type { Pool } from '#lib/db/connection/pool';
import { expandSpace } from '#lib/param-tune/space/arms';
import type { Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { refuseLongSpaces } from './refuse-long-spaces.js';

const BASE = ParamTuneInput.shape.base.parse({});

/** Manages saved search spaces. */
@Injectable()
export class ParamPresetService {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  list({ teamId }: Caller, page: PageQuery): Promise<Page<ParamPreset>> {
    return new ParamPresetRepository(this.pool, teamId).list(page);
  }

  /** @throws ProblemError 422 for a space that no tune could search, 409 when another preset has its name */
  async create(caller: Caller, input: ParamPresetInput, change: Change): Promise<ParamPreset> {
    refuseLongSpaces(input);
    expandSpace(input.search_space as JsonObject, { ...BASE, max_tokens: null }, ['search_space']);
    return change(async (client) => {
      const preset = await new ParamPresetRepository(client, caller.teamId).create(input);
      await audit(client, caller, 'param_preset.create', preset.id);
      return preset;
    });
  }

  delete(caller: Caller, id: string, change: Change): Promise<void> {
    return change(async (client) => {
      await new ParamPresetRepository(client, caller.teamId).delete(id);
      await audit(client, caller, 'param_preset.delete', id);
    });
  }
}
