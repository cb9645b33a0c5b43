import { Controller, Get, Header, Inject, ServiceUnavailableException } from '@nestjs/common';
import { checkHealth } from '#lib/runtime/health-check';
import { registry } from '#lib/runtime/metrics';
import { WorkerProcess } from '../worker-process.js';

@Controller()
export class HealthController {
  constructor(@Inject(WorkerProcess) readonly worker: WorkerProcess) {}

  /** Whether to restart this process. It is stuck, or it works; a store that is down does not count. */
  @Get('healthz')
  healthz(): { status: string } {
    const why = this.worker.parts.liveness.whyStuck;
    if (why.length) throw new ServiceUnavailableException({ status: 'stuck', why });
    return { status: 'ok' };
  }

  /** A worker needs both stores: Redis brings deliveries, and Postgres lets it claim them. */
  @Get('readyz')
  async readyz(): Promise<Record<string, string>> {
    const { services } = this.worker.parts;
    const [postgres, redis] = await Promise.all([
      checkHealth(services.pool.query('SELECT 1')),
      checkHealth(services.redis.ping()),
    ]);
    const stores = { postgres, redis };
    if (this.worker.isStopping || postgres === 'down' || redis === 'down')
      throw new ServiceUnavailableException(stores);
    return stores;
  }

  @Get('metrics')
  @Header('content-type', registry.contentType)
  metrics(): Promise<string> {
    return registry.metrics();
  }
}
