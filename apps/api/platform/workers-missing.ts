import { Inject, Injectable } from '@nestjs/common';
import { NO_WORKER } from '#lib/contracts/values/jobs';
import type { JobType } from '#lib/contracts/job';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { aliveLevels } from '#lib/queue/worker-heartbeats';
import type { Redis } from '#lib/runtime/redis';
import { RELEASE } from './release.js';
import { REDIS } from './stores.js';

/** Why no worker can do a job that needs a level; undefined when one can, or when it is unknown. */
export type WhyNobody = (type: JobType, level: number) => string | undefined;

/** How long the levels of workers are cached: they report every five seconds. */
const CACHE_MS = 1000;
/** Timeout for Redis; without its answer the levels are unknown. */
const ANSWERS_WITHIN_MS = 500;

/**
 * Finds out what no running worker can do. The API has to report it: running workers do not know about jobs above their
 * level, and there may be no worker at all.
 */
@Injectable()
export class WorkersMissing {
  #highest: { readAt: number; level: Promise<number | undefined> } | undefined;

  constructor(@Inject(REDIS) readonly redis: Redis) {}

  async whyNobody(): Promise<WhyNobody> {
    if (!this.#highest || performance.now() - this.#highest.readAt > CACHE_MS)
      this.#highest = { readAt: performance.now(), level: this.#readHighest() };
    const highest = await this.#highest.level;
    return (type, level) => (highest === undefined || level <= highest ? undefined : reasonFor(type, level, highest));
  }

  /** 0 when no worker is alive. */
  async #readHighest(): Promise<number | undefined> {
    const unknown = new Promise<undefined>((resolve) =>
      setTimeout(() => resolve(undefined), ANSWERS_WITHIN_MS).unref(),
    );
    const read = aliveLevels(this.redis).then(
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
