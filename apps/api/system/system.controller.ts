import { Controller, Get, Inject } from '@nestjs/common';
import { System } from '#lib/contracts/system';
import { About, Answers, Me } from '../platform/decorators.js';
import { isOperator, type Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { aliveLevels } from '#lib/queue/worker-heartbeats';
import { checkHealth } from '#lib/runtime/health-check';
import type { Redis } from '#lib/runtime/redis';
import { Sealer } from '#lib/runtime/seal';
import { RELEASE } from '../platform/release.js';
import { POOL, REDIS } from '../platform/stores.js';
import { SealedCounts } from './sealed-counts.js';

/** What signed-in users may know about the installation: no addresses, no host names; of its keys only operators. */
@Controller('api/system')
export class SystemController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly sealer: Sealer,
    readonly sealed: SealedCounts,
  ) {}

  /** Always answers: a store that does not respond within a second counts as down. */
  @Get()
  @About(
    'Read the system status',
    'Its version, the number of live workers, and whether its databases answer; for operators also its sealing keys.',
  )
  @Answers(200, System)
  async read(@Me() me: Caller): Promise<System> {
    let alive: number | null = null;
    const counted = aliveLevels(this.redis).then(({ length }) => (alive = length));
    let sealing: System['sealing'] = null;
    const postgresAnswers = Promise.all([
      this.pool.query('SELECT 1'),
      isOperator(me) && this.#sealing().then((found) => (sealing = found)),
    ]);
    const [postgres, redis] = await Promise.all([checkHealth(postgresAnswers), checkHealth(counted)]);
    return { version: RELEASE, workers: { alive }, redis, postgres, sealing };
  }

  async #sealing(): Promise<NonNullable<System['sealing']>> {
    const keys = this.sealer.keyIds;
    const counts = await this.sealed.read();
    const known = counts.flatMap(({ keyId }) => keyId ?? []);
    return {
      keys,
      left: counts.reduce((sum, { isLeft, secrets }) => sum + (isLeft ? secrets : 0), 0),
      missing: [...new Set(known)].filter((id) => !keys.includes(id)),
    };
  }
}
