import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Pool } from '#lib/db/connection/pool';
import { Lane } from '#lib/contracts/lane';
import { pageOf } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/problem';
import { audit } from '#lib/db/catalogue/audit';
import { LaneRepository } from '#lib/db/catalogue/lanes';
import type { Caller } from '#lib/db/catalogue/callers';
import { notify } from '#lib/events/notifications';
import { readLaneState } from '#lib/queue/budget/lane-state';
import { POOL, REDIS } from '../platform/stores.js';
import { About, Answers, Changes, Me, Needs, uuid, type Change } from '../platform/decorators.js';

@Controller('api/lanes')
export class LanesController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  @Get()
  @About('List lanes', 'The lanes that a provider uses or that have work, by name, all on one page.')
  @Answers(200, pageOf(Lane))
  async list(@Me() caller: Caller) {
    return { items: await this.#read(caller), next_cursor: null };
  }

  @Post(':id/pause')
  @About('Pause a lane', 'Nothing new is asked in it until it is resumed. Requests under way end as usual.')
  @Needs('owner')
  @Answers(200, Lane, 404)
  pause(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.#pause(caller, uuid('lane', id), true, change);
  }

  @Post(':id/resume')
  @About('Resume a lane', 'Asks again what waits in it. A lane that is not paused stays as it is.')
  @Needs('owner')
  @Answers(200, Lane, 404)
  resume(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.#pause(caller, uuid('lane', id), false, change);
  }

  async #pause(caller: Caller, id: string, paused: boolean, change: Change): Promise<Lane> {
    const now = await this.#now(id);
    const lane = await change(async (client) => {
      const lanes = new LaneRepository(client, caller.teamId);
      if (!(await lanes.setPaused(id, paused))) throw notFound('lane', id);
      await audit(client, caller, paused ? 'lane.pause' : 'lane.resume', id);
      const found = await lanes.find(id);
      if (!found) throw notFound('lane', id);
      return { ...found, now };
    });
    void notify(this.redis, { topic: 'lane', id });
    return lane;
  }

  async #read({ teamId }: Caller): Promise<Lane[]> {
    return Promise.all(
      (await new LaneRepository(this.pool, teamId).list()).map(async (lane) => ({
        ...lane,
        now: await this.#now(lane.id),
      })),
    );
  }

  /** What Redis knows of it; null where it does not answer. */
  async #now(id: string): Promise<Lane['now']> {
    const at = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
    const state = await readLaneState(this.redis, id).catch(() => undefined);
    return state
      ? {
          requests_in_flight: state.inFlight,
          adaptive_factor: state.factor,
          blocked_until: at(state.blockedUntil),
          breaker: {
            state: state.outage ? ('open' as const) : ('closed' as const),
            since: at(state.outage?.since),
            next_probe_at: at(state.outage?.nextProbeAt),
            error: state.outage?.error ?? null,
          },
        }
      : null;
  }
}
