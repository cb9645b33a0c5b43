import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { NO_WORKER, type JobType } from '#lib/contracts/job';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { levelsAlive } from '#lib/queue/workers-alive';
import { RELEASE } from './release.js';
import { REDIS } from './stores.js';

/** Why nobody does a job that needs a level; undefined when somebody can, or nobody knows. */
export type WhyNobody = (type: JobType, level: number) => string | undefined;

/** How long the levels of workers are believed: they say theirs every five seconds. */
const BELIEVED_MS = 1000;
/** Of Redis; without its answer nobody knows. */
const ANSWERS_WITHIN_MS = 500;

/**
 * Finds out what no running worker can do. The API has to say so, because the workers that run know nothing of it, or
 * there are none.
 */
@Injectable()
export class WorkersMissing {
  #highest: { readAt: number; level: Promise<number | undefined> } | undefined;

  constructor(@Inject(REDIS) readonly redis: Redis) {}

  async whyNobody(): Promise<WhyNobody> {
    if (!this.#highest || performance.now() - this.#highest.readAt > BELIEVED_MS)
      this.#highest = { readAt: performance.now(), level: this.#readHighest() };
    const highest = await this.#highest.level;
    return (type, level) => (highest === undefined || level <= highest ? undefined : reasonFor(type, level, highest));
  }

  /** 0 when no worker is alive. */
  async #readHighest(): Promise<number | undefined> {
    const unknown = new Promise<undefined>((resolve) =>
      setTimeout(() => resolve(undefined), ANSWERS_WITHIN_MS).unref(),
    );
    const read = levelsAlive(this.redis).then(
      (levels) => Math.max(0, ...levels),
      () => undefined,
    );
    return Promise.race([read, unknown]);
  }
}

function reasonFor(type: JobType, level: number, highest: number): string {
  if (highest === 0) return `${NO_WORKER}: none is alive. Start one.`;
  const release = level <= WORKER_LEVEL ? `of release ${RELEASE} or later` : 'of the release that it was submitted to';
  return `${NO_WORKER} can ${type === 'tool_eval' ? 'play this run' : 'do this job'}: start workers ${release}.`;
}
