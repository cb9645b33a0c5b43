import type { Pool } from '#lib/db/connection/pool';
import { prepareRun, type RunToPrepare } from '#lib/db/engine/prepare-run';
import { notify } from '#lib/events/notifications';
import type { Redis } from '#lib/runtime/redis';

/** Prepares resumed runs in batches, so that a large run does not hold up a small one. */
export class Preparer {
  constructor(
    readonly deps: { pool: Pool; redis: Redis; onMoreToDo: () => void; onPrepared: (laneIds: string[]) => void },
  ) {}

  /** Prepares the next batch. */
  async prepare(run: RunToPrepare): Promise<void> {
    const { pool, redis, onMoreToDo, onPrepared } = this.deps;
    const prepared = await prepareRun(pool, run);
    if (!prepared) return;
    if (prepared.more) onMoreToDo();
    else onPrepared(prepared.lanes);
    for (const id of prepared.lanes) await notify(redis, { topic: 'lane', id });
    await notify(redis, { topic: 'job', id: run.jobId });
  }
}
