import { Controller, Get, Query, Inject } from '@nestjs/common';
import { SpendingQuery, SpendingReport, MAX_SPENDING_DAYS } from '#lib/contracts/spending';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Me } from '../platform/decorators.js';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Pool } from '#lib/db/connection/pool';
import { SpendingRepository, type SpendingSpan } from '#lib/db/read/spending';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { POOL } from '../platform/stores.js';

const DAY_MS = 86_400_000;

/** Reports a team's spending and what it was for. */
@Controller('api/spending')
export class SpendingController {
  /** By team. A year of many people and suites takes seconds to sum, and holds a connection meanwhile. */
  readonly #reports = new KeyedSemaphore(
    1,
    MAX_WAITING,
    `${MAX_WAITING} spending queries of this team are queued already. Try again when some are done.`,
  );

  constructor(@Inject(POOL) readonly pool: Pool) {}

  /** @throws ProblemError 429 when too many requests of the team are waiting */
  @Get()
  @About(
    'Read the spending of a period',
    'By day, model, provider, suite and person. Costs count when results settle, so deleted runs and suites are ' +
      'included. The cap and the spending that counts against it are in `/api/settings/spending`.',
  )
  @Answers(200, SpendingReport, 429)
  report(@Me() { teamId }: Caller, @Query({ schema: SpendingQuery }) query: SpendingQuery): Promise<SpendingReport> {
    const spending = new SpendingRepository(this.pool, teamId);
    return this.#reports.run(teamId, async () =>
      spending.report({ ...query, ...spanOf(query, await spending.today()) }),
    );
  }
}

const MAX_WAITING = 30;

/** @throws ProblemError 422 when the span ends before it begins, or is too long */
function spanOf({ from, to }: SpendingQuery, today: string): SpendingSpan {
  const span = { from: from ?? `${today.slice(0, -2)}01`, to: to ?? today };
  const days = (Date.parse(span.to) - Date.parse(span.from)) / DAY_MS + 1;
  if (days < 1) {
    const origin = from === undefined ? ', the first day of this month, which is the default' : '';
    throw new ProblemError(422, `The period ends on ${span.to}, before it begins on ${span.from}${origin}.`, [
      { path: '/from', message: `must be ${span.to} or earlier` },
    ]);
  }
  if (days > MAX_SPENDING_DAYS)
    throw new ProblemError(422, `The period has ${days} days; the limit is ${MAX_SPENDING_DAYS}. Request less.`, [
      { path: to === undefined ? '/from' : '/to', message: `makes a period of more than ${MAX_SPENDING_DAYS} days` },
    ]);
  return span;
}
