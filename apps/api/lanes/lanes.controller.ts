import { Controller, Get, Param, Post, Inject } from '@nestjs/common';
import { Lane } from '#lib/contracts/lane';
import { pageOf } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import type { Redis } from 'ioredis';
import { notFound } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import { LaneRepository } from '#lib/db/catalogue/lanes';
import type { Pool } from '#lib/db/connection/pool';
import { notify } from '#lib/events/notifications';
import { readLaneState, type LaneState } from '#lib/queue/budget/lane-state';
import { POOL, REDIS } from '../platform/stores.js';

/** Lanes as stored in Postgres, with their current state from Redis. */
@Controller('api/lanes')
export class LanesController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  @Get()
  @About('List lanes', 'Lanes that a provider uses or that have work, by name, all on one page.')
  @Answers(200, pageOf(Lane))
  async list(@Me() { teamId }: Caller) {
    const lanes = await new LaneRepository(this.pool, teamId).list();
    const items = await Promise.all(
      lanes.map(async (lane): Promise<Lane> => ({ ...lane, now: await this.#now(lane.id) })),
    );
    return { items, next_cursor: null };
  }

  @Post(':id/pause')
  @About('Pause a lane', 'Sends no new requests in it until it is resumed. Requests under way end as usual.')
  @Needs('owner')
  @Answers(200, Lane, 404)
  pause(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.#setPaused(caller, uuid('lane', id), true, change);
  }

  @Post(':id/resume')
  @About('Resume a lane', 'Sends its waiting requests. A lane that is not paused does not change.')
  @Needs('owner')
  @Answers(200, Lane, 404)
  resume(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.#setPaused(caller, uuid('lane', id), false, change);
  }

  async #setPaused(caller: Caller, id: string, paused: boolean, change: Change): Promise<Lane> {
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

  /** Null while Redis is unreachable: the rest of a lane is in Postgres. */
  async #now(id: string): Promise<Lane['now']> {
    const state = await readLaneState(this.redis, id).catch(() => undefined);
    return state ? nowOf(state) : null;
  }
}

const nowOf = ({ inFlight, factor, blockedUntil, outage }: LaneState): NonNullable<Lane['now']> => ({
  requests_in_flight: inFlight,
  adaptive_factor: factor,
  blocked_until: timeOf(blockedUntil),
  breaker: {
    state: outage ? 'open' : 'closed',
    since: timeOf(outage?.since),
    next_probe_at: timeOf(outage?.nextProbeAt),
    error: outage?.error ?? null,
  },
});

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
