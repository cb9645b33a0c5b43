import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { System } from '#lib/contracts/system';
import type { Pool } from '#lib/db/connection/pool';
import { levelsAlive } from '#lib/queue/workers-alive';
import { checkHealth } from '#lib/runtime/health-check';
import { RELEASE } from '../platform/release.js';
import { POOL, REDIS } from '../platform/stores.js';

/** What anybody who is signed in may know of the installation: no addresses, no names of hosts. */
@Injectable()
export class SystemService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  /** Answers whatever is away: a store that does not answer within a second is down. */
  async read(): Promise<System> {
    let alive: number | null = null;
    const counted = levelsAlive(this.redis).then(({ length }) => (alive = length));
    const [postgres, redis] = await Promise.all([checkHealth(this.pool.query('SELECT 1')), checkHealth(counted)]);
    return { version: RELEASE, workers: { alive }, redis, postgres };
  }
}
