import { Controller, Get, Inject } from '@nestjs/common';
import { System } from '#lib/contracts/system';
import { About, Answers } from '../platform/decorators.js';
import type { Pool } from '#lib/db/connection/pool';
import { aliveLevels } from '#lib/queue/worker-heartbeats';
import { checkHealth } from '#lib/runtime/health-check';
import type { Redis } from '#lib/runtime/redis';
import { RELEASE } from '../platform/release.js';
import { POOL, REDIS } from '../platform/stores.js';

/** What any signed-in user may know about the installation: no addresses, no host names. */
@Controller('api/system')
export class SystemController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
  ) {}

  /** Always answers: a store that does not respond within a second counts as down. */
  @Get()
  @About('Read the system status', 'Its version, the number of live workers, and whether its databases answer.')
  @Answers(200, System)
  async read(): Promise<System> {
    let alive: number | null = null;
    const counted = aliveLevels(this.redis).then(({ length }) => (alive = length));
    const [postgres, redis] = await Promise.all([checkHealth(this.pool.query('SELECT 1')), checkHealth(counted)]);
    return { version: RELEASE, workers: { alive }, redis, postgres };
  }
}
