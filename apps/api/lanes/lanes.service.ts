import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Lane } from '#lib/contracts/lane';
import { notFound } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { LaneRepository } from '#lib/db/catalogue/lanes';
import type { Pool } from '#lib/db/connection/pool';
import { notify } from '#lib/events/notifications';
import { readLaneState, type LaneState } from '#lib/queue/budget/lane-state';
import type { Change } from '../platform/decorators.js';
import { POOL, REDIS } from '../platform/stores.js';

/** Lanes as stored in Postgres, with their current state from Redis. */
@Injectable()
export class LaneService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  async list({ teamId }: Caller): Promise<Lane[]> {
    const lanes = await new LaneRepository(this.pool, teamId).list();
    return Promise.all(lanes.map(async (lane) => ({ ...lane, now: await this.#now(lane.id) })));
  }

  async setPaused(caller: Caller, id: string, paused: boolean, change: Change): Promise<Lane> {
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
