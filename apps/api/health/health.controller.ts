import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Pool } from '#lib/db/connection/pool';
import { checkHealth } from '#lib/runtime/health-check';
import { registry, withoutNames } from '#lib/runtime/metrics';
import type { Redis } from '#lib/runtime/redis';
import { KeptAnswer } from '../platform/kept-answer.js';
import { POOL, REDIS } from '../platform/stores.js';
import { Shutdown } from '../platform/shutdown.js';
import { LaneMetrics } from '../lanes/lane-metrics.js';
import { SealingMetrics } from '../system/sealing-metrics.js';

/** Scraping needs no token and is not limited; within this time it returns the same values. */
const METRICS_MAX_AGE_MS = 1000;

@ApiExcludeController()
@Controller()
export class HealthController {
  readonly metrics = new KeptAnswer(async () => {
    await Promise.all([this.lanes.refresh(), this.sealing.refresh()]);
    return registry.metrics();
  }, METRICS_MAX_AGE_MS);
  readonly #publicMetrics = new KeptAnswer(
    async () => withoutNames((await this.metrics.bytes()).toString()),
    METRICS_MAX_AGE_MS,
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly shutdown: Shutdown,
    readonly lanes: LaneMetrics,
    readonly sealing: SealingMetrics,
  ) {}

  @Get('healthz')
  healthz(): { status: string } {
    return { status: 'ok' };
  }

  /** Ready without Redis, since submits still work; not ready without Postgres. */
  @Get('readyz')
  async readyz(@Res({ passthrough: true }) reply: FastifyReply): Promise<Record<string, string>> {
    const [postgres, redis] = await Promise.all([
      checkHealth(this.pool.query('SELECT 1')),
      checkHealth(this.redis.ping()),
    ]);
    void reply.status(postgres === 'up' && this.shutdown.isReady ? 200 : 503);
    return { postgres, redis };
  }

  @Get('metrics')
  async getMetrics(@Res() reply: FastifyReply): Promise<void> {
    void reply.type(registry.contentType).send(await this.#publicMetrics.bytes());
  }
}
