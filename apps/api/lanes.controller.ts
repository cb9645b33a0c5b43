import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { Lane } from '#lib/contracts/lane';
import { pageOf } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/problem';
import { audit } from '#lib/db/audit';
import { listLanes, pauseLane } from '#lib/db/lanes';
import type { Caller } from '#lib/db/teams';
import { ring } from '#lib/events/doorbell';
import { readLaneState } from '#lib/queue/lane-budget';
import { Deps } from './deps.js';
import { Answers, Me, Needs, uuid } from './route.js';

@Controller('api/lanes')
export class LanesController {
  constructor(@Inject(Deps) readonly deps: Deps) {}

  @Get()
  @Answers(200, pageOf(Lane))
  async list(@Me() caller: Caller) {
    return { items: await this.#read(caller), next_cursor: null };
  }

  @Post(':id/pause')
  @Needs('owner')
  @Answers(200, Lane, 404)
  pause(@Me() caller: Caller, @Param('id') id: string) {
    return this.#pause(caller, uuid('lane', id), true);
  }

  @Post(':id/resume')
  @Needs('owner')
  @Answers(200, Lane, 404)
  resume(@Me() caller: Caller, @Param('id') id: string) {
    return this.#pause(caller, uuid('lane', id), false);
  }

  async #pause(caller: Caller, id: string, paused: boolean): Promise<Lane> {
    if (!(await pauseLane(this.deps.pool, caller.teamId, id, paused))) throw notFound('lane', id);
    await audit(this.deps.pool, caller, paused ? 'lane.pause' : 'lane.resume', id);
    void ring(this.deps.redis, { topic: 'lane', id });
    const [lane] = await this.#read(caller, id);
    if (!lane) throw notFound('lane', id);
    return lane;
  }

  async #read({ teamId }: Caller, id?: string): Promise<Lane[]> {
    const at = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
    return Promise.all((await listLanes(this.deps.pool, teamId, id)).map(async (lane) => {
      const state = await readLaneState(this.deps.redis, lane.id).catch(() => undefined);
      return {
        ...lane,
        now: state ? {
          requests_in_flight: state.inFlight, adaptive_factor: state.factor, blocked_until: at(state.blockedUntil),
          breaker: { state: state.outage ? 'open' as const : 'closed' as const, since: at(state.outage?.since), next_probe_at: at(state.outage?.nextProbeAt), error: state.outage?.error ?? null },
        } : null,
      };
    }));
  }
}
