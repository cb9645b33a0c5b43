import { Module, type DynamicModule } from '@nestjs/common';
import type { Env } from '#lib/runtime/env';
import { OperatorKeys } from '#lib/runtime/key-refs/operator-keys';
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
        {
          provide: WorkerProcess,
          useFactory: async () =>
            new WorkerProcess(env, logger, await OperatorKeys.read({ file: env.TOOLMARK_KEY_REFS_FILE, logger })),
        },
        { provide: WorkerHealth, useExisting: WorkerProcess },
      ],
    };
  }
}
