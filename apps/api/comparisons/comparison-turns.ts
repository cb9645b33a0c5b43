import { Inject, Injectable } from '@nestjs/common';
import type { Env } from '#lib/runtime/env';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { Semaphore } from '#lib/runtime/semaphore';
import { ENV } from '../platform/stores.js';

/** A team's comparisons under way in this process. Each holds a connection to Postgres while it reads. */
const AT_ONCE_PER_TEAM = 2;
const MAX_WAITING = 30;

/** Lets whatever compares runs take turns, within a team and in all. */
@Injectable()
export class ComparisonTurns {
  readonly #perTeam = new KeyedSemaphore(
    AT_ONCE_PER_TEAM,
    MAX_WAITING,
    `${MAX_WAITING} comparisons of this team wait for their turn. Ask again when some are done.`,
  );
  /** Half of the connections stay for everything else. */
  readonly #inAll: Semaphore;

  constructor(@Inject(ENV) env: Env) {
    this.#inAll = new Semaphore(Math.max(1, Math.floor(env.TOOLMARK_DATABASE_POOL / 2)));
  }

  /** @throws ProblemError 429 when too many of the team wait already */
  run<Made>(teamId: string, work: () => Promise<Made>): Promise<Made> {
    return this.#perTeam.run(teamId, () => this.#inAll.run(work));
  }
}
