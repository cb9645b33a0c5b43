import { Controller, Get, Header, Inject, ServiceUnavailableException } from '@nestjs/common';
import { checkHealth } from '#lib/runtime/health-check';
import { registry } from '#lib/runtime/metrics';
import { WorkerProcess } from '../worker-process.js';

@Controller()
export class HealthController {
  constructor(@Inject(WorkerProcess) readonly worker: WorkerProcess) {}

  /** Whether this process is any use: a store that is down is no reason to start it anew, being stuck is. */
  @Get('healthz')
  healthz(): { status: string } {
    const why = this.worker.liveness.whyDead;
    if (why.length) throw new ServiceUnavailableException({ status: 'stuck', why });
    return { status: 'ok' };
  }

  /** A worker needs both: without Postgres it may claim nothing, without Redis it gets nothing to claim. */
  @Get('readyz')
  async readyz(): Promise<Record<string, string>> {
    const [postgres, redis] = await Promise.all([
      checkHealth(this.worker.pool.query('SELECT 1')),
      checkHealth(this.worker.redis.ping()),
    ]);
    const answer = { postgres, redis };
    if (this.worker.stopping || postgres === 'down' || redis === 'down') throw new ServiceUnavailableException(answer);
    return answer;
  }

  @Get('metrics')
  @Header('content-type', registry.contentType)
  metrics(): Promise<string> {
    return registry.metrics();
  }
}
