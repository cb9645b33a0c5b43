import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Redis } from 'ioredis';
import type { Pool } from '#lib/db/connection/pool';
import { checkHealth } from '#lib/runtime/health-check';
import { registry } from '#lib/runtime/metrics';
import { POOL, REDIS } from '../platform/stores.js';
import { Shutdown } from '../platform/shutdown.js';
import { LaneMetrics } from '../lanes/lane-metrics.js';

@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly shutdown: Shutdown,
    readonly lanes: LaneMetrics,
  ) {}

  @Get('healthz')
  healthz(): { status: string } {
    return { status: 'ok' };
  }

  /** Ready without Redis, as submits still work; not ready without Postgres. */
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
  @Header('content-type', registry.contentType)
  async metrics(): Promise<string> {
    await this.lanes.refresh();
    return registry.metrics();
  }
}
