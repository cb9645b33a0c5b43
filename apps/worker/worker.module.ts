import { Module, type DynamicModule } from '@nestjs/common';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { HealthController, MetricsController, WorkerHealth } from './health/health.controller.js';
import { WorkerProcess } from './worker-process.js';

@Module({})
export class WorkerModule {
  static of(env: Env, logger: Logger): DynamicModule {
    return {
      module: WorkerModule,
      controllers: [HealthController, MetricsController],
      providers: [
        { provide: WorkerProcess, useFactory: () => new WorkerProcess(env, logger) },
        { provide: WorkerHealth, useExisting: WorkerProcess },
      ],
    };
  }
}
