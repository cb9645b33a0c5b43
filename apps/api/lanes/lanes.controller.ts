import { Controller, Get, Param, Post, Inject } from '@nestjs/common';
import { Lane, LaneWaiting } from '#lib/contracts/lane';
import { pageOf } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { notFound } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import { LaneRepository } from '#lib/db/catalogue/lanes';
import type { Pool } from '#lib/db/connection/pool';
import { notify } from '#lib/events/notifications';
import { LaneWaitingRepository } from '#lib/db/read/lane-waiting';
import { readLaneState, type LaneState } from '#lib/queue/budget/lane-state';
import { readResultsByMinute } from '#lib/queue/lane-throughput';
import type { Redis } from '#lib/runtime/redis';
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
      lanes.map(async (lane): Promise<Lane> => ({ ...lane, now: nowOf(lane, await this.#read(lane.id)) })),
    );
    return { items, next_cursor: null };
  }

  @Get(':id/waiting')
  @About(
    'List who waits on a lane',
    'The jobs and the people that have unfinished items on it: the first jobs by submission, and those people with ' +
      'the most items.',
  )
  @Answers(200, LaneWaiting, 404)
  async waiting(@Me() { teamId }: Caller, @Param('id') id: string): Promise<LaneWaiting> {
    const waiting = await new LaneWaitingRepository(this.pool, teamId).read(uuid('lane', id));
    if (!waiting) throw notFound('lane', id);
    return waiting;
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
    const current = await this.#read(id);
    const lane = await change(async (client) => {
      const lanes = new LaneRepository(client, caller.teamId);
      const wasPaused = await lanes.setPaused(id, paused);
      const found = wasPaused === undefined ? undefined : await lanes.find(id);
      if (!found) throw notFound('lane', id);
      const change = { before: { is_paused: wasPaused }, after: { is_paused: paused } };
      await audit(client, caller, paused ? 'lane.pause' : 'lane.resume', id, change);
      return { ...found, now: nowOf(found, current) };
    });
    void notify(this.redis, { topic: 'lane', id });
    return lane;
  }

  /** Undefined while Redis is unreachable: the rest of a lane is in Postgres. */
  #read(id: string): Promise<Current | undefined> {
    return Promise.all([readLaneState(this.redis, id), readResultsByMinute(this.redis, id)]).then(
      ([state, results]) => ({ ...state, results }),
      () => undefined,
    );
  }
}

/** The state of a lane in Redis. */
type Current = LaneState & { results: number[] };

function nowOf({ limits }: Pick<Lane, 'limits'>, current: Current | undefined): Lane['now'] {
  if (!current) return null;
  const { inFlight, factor, blockedUntil, outage, results } = current;
  return {
    requests_in_flight: inFlight,
    allowed_at_once: Math.max(1, Math.floor(limits.max_concurrency * factor)),
    adaptive_factor: factor,
    results_by_minute: results,
    blocked_until: timeOf(blockedUntil),
    breaker: {
      state: outage ? 'open' : 'closed',
      since: timeOf(outage?.since),
      next_probe_at: timeOf(outage?.nextProbeAt),
      error: outage?.error ?? null,
    },
  };
}

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
