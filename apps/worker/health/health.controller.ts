import { Controller, Get, Header, Inject, ServiceUnavailableException } from '@nestjs/common';
import { checkHealth } from '#lib/runtime/health-check';
import { registry, withoutNames } from '#lib/runtime/metrics';
import type { Pool } from '#lib/db/connection/pool';
import type { Redis } from '#lib/runtime/redis';

/** What the health checks ask of a worker. */
export abstract class WorkerHealth {
  abstract readonly isStopping: boolean;
  /** Why the process should be restarted; empty while it works. */
  abstract readonly whyStuck: readonly string[];
  abstract readonly stores: { pool: Pool; redis: Redis };
}

@Controller()
export class HealthController {
  constructor(@Inject(WorkerHealth) readonly worker: WorkerHealth) {}

  /** Whether to restart this process: only when it is stuck. A store that is down does not count. */
  @Get('healthz')
  healthz(): { status: string } {
    const why = this.worker.whyStuck;
    if (why.length) throw new ServiceUnavailableException({ status: 'stuck', why });
    return { status: 'ok' };
  }

  /** A worker needs both stores: Redis brings deliveries, and Postgres lets it claim them. */
  @Get('readyz')
  async readyz(): Promise<Record<string, string>> {
    const { pool, redis } = this.worker.stores;
    const [postgresStatus, redisStatus] = await Promise.all([
      checkHealth(pool.query('SELECT 1')),
      checkHealth(redis.ping()),
    ]);
    const status = { postgres: postgresStatus, redis: redisStatus };
    const isReady = !this.worker.isStopping && Object.values(status).every((store) => store === 'up');
    if (!isReady) throw new ServiceUnavailableException(status);
    return status;
  }
}

/** Where metrics have no port of their own. */
@Controller()
export class MetricsController {
  @Get('metrics')
  @Header('content-type', registry.contentType)
  async metrics(): Promise<string> {
    return withoutNames(await registry.metrics());
  }
}
