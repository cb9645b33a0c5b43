import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { checkHealth } from '#lib/runtime/health-check';
import { registry } from '#lib/runtime/metrics';
import { Deps } from '../platform/deps.js';
import { LaneMetrics } from '../lanes/lane-metrics.js';

@ApiExcludeController()
@Controller()
export class HealthController {
  readonly #lanes: LaneMetrics;

  constructor(@Inject(Deps) readonly deps: Deps) {
    this.#lanes = new LaneMetrics(deps);
  }

  @Get('healthz')
  healthz(): { status: string } {
    return { status: 'ok' };
  }

  /** Without Redis submits still work; without Postgres nothing does. */
  @Get('readyz')
  async readyz(@Res({ passthrough: true }) reply: FastifyReply): Promise<Record<string, string>> {
    const [postgres, redis] = await Promise.all([
      checkHealth(this.deps.pool.query('SELECT 1')),
      checkHealth(this.deps.redis.ping()),
    ]);
    void reply.status(postgres === 'up' && !this.deps.ending ? 200 : 503);
    return { postgres, redis };
  }

  @Get('metrics')
  @Header('content-type', registry.contentType)
  async metrics(): Promise<string> {
    await this.#lanes.refresh();
    return registry.metrics();
  }
}
