import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { isJitOn } from '#lib/db/connection/jit';
import { findTeamIds } from '#lib/db/catalogue/teams';
import { levelOfSession, retryTransient } from '#lib/db/connection/pool';
import { listen } from '#lib/events/notifications';
import type { Env } from '#lib/runtime/env';
import type { OperatorKeys } from '#lib/runtime/key-refs/operator-keys';
import type { Logger } from '#lib/runtime/logger';
import { composeWorker, type WorkerParts } from './compose-worker.js';
import type { WorkerHealth } from './health/health.controller.js';
import { close, drain, drainItems } from './shutdown.js';

/** The life cycle of a worker, bound to Nest's hooks: compose-worker.ts creates its parts, shutdown.ts stops them. */
export class WorkerProcess
  implements WorkerHealth, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly parts: WorkerParts;
  isStopping = false;

  constructor(
    readonly env: Env,
    logger: Logger,
    readonly keyRefs: OperatorKeys,
  ) {
    this.parts = composeWorker(env, logger, keyRefs);
  }

  get whyStuck(): readonly string[] {
    return this.parts.liveness.whyStuck;
  }

  get stores(): WorkerHealth['stores'] {
    return this.parts.services;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { subscriber, control, items, services, loopWatch, liveness, presence } = this.parts;
    const level = await retryTransient(() => levelOfSession(services.pool));
    await this.keyRefs.watch((names) => findTeamIds(services.pool, names));
    await subscriber.ping();
    await listen(subscriber, ['lane', 'cancel', 'provider', 'step'], ({ topic, id }) => {
      if (topic === 'lane') control.laneHasWork(id);
      if (topic === 'step') control.help(id);
      if (topic === 'cancel') items.stopRun(id);
      if (topic === 'provider') void services.connections.refresh();
    });
    control.start();
    loopWatch.start();
    liveness.start();
    presence.start(level);
    if (await retryTransient(() => isJitOn(services.pool)))
      this.parts.logger.warn('Postgres has JIT on, which makes statements slower; see docs/operations.md, Poolers');
    if (level !== WORKER_LEVEL)
      this.parts.logger.warn(
        { level, own: WORKER_LEVEL },
        'Postgres does not know the level of this worker, so it gets no new runs; a pooler may drop application_name',
      );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await drain(this.parts, this.env.TOOLMARK_DRAIN_SECONDS * 1000);
  }

  async onApplicationShutdown(): Promise<void> {
    this.keyRefs.close();
    await close(this.parts);
  }

  /** After an uncaught error. Items that have not ended are handed back in the last second of the process. */
  onUncaughtError(endsInMs: number): void {
    this.isStopping = true;
    void drainItems(this.parts, endsInMs - 1000).catch(() => {});
  }
}
