import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { System } from '#lib/contracts/system';
import type { Pool } from '#lib/db/connection/pool';
import { countAlive } from '#lib/queue/workers-alive';
import { checkHealth } from '#lib/runtime/health-check';
import { POOL, REDIS } from '../platform/stores.js';

const packageJson = new URL(
  import.meta.url.includes('/dist/') ? '../../../../package.json' : '../../../package.json',
  import.meta.url,
);
const { version } = JSON.parse(readFileSync(fileURLToPath(packageJson), 'utf8')) as { version: string };

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
    const counted = countAlive(this.redis).then((count) => (alive = count));
    const [postgres, redis] = await Promise.all([checkHealth(this.pool.query('SELECT 1')), checkHealth(counted)]);
    return { version, workers: { alive }, redis, postgres };
  }
}
