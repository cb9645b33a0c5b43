import { Inject, Injectable } from '@nestjs/common';
import type { PageQuery } from '#lib/contracts/page';
import type { ErrorType } from '#lib/contracts/verdict';
import type {
  Confusion,
  Counting,
  DrawnResults,
  DrawQuery,
  FailureGroups,
  RunCases,
  RunCasesQuery,
  RunFacets,
} from '#lib/contracts/run-facets';
import { inDrawnOrder } from '#lib/counting/reservoir';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { askForFigures } from '#lib/db/engine/run-figures';
import { RescoreRepository } from '#lib/db/read/rescores';
import { RunFiguresRepository, type Scoring } from '#lib/db/read/run-figures';
import { POOL } from '../platform/stores.js';

const COUNTING: Counting = { status: 'counting' };

/** Computed figures of runs and rescores. A request for missing figures has them computed. */
@Injectable()
export class RunFiguresService {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  facets(caller: Caller, scoring: Scoring): Promise<RunFacets | Counting> {
    return this.#counted(caller, scoring, (figures) => figures.facets(scoring));
  }

  confusion(caller: Caller, scoring: Scoring, target: string | undefined): Promise<Confusion | Counting> {
    return this.#counted(caller, scoring, (figures) => figures.confusion(scoring, target));
  }

  failures(caller: Caller, scoring: Scoring, errorType: ErrorType | undefined): Promise<FailureGroups | Counting> {
    return this.#counted(caller, scoring, (figures) => figures.failures(scoring, errorType));
  }

  cases(caller: Caller, scoring: Scoring, show: RunCasesQuery['show'], page: PageQuery): Promise<RunCases | Counting> {
    return this.#counted(caller, scoring, (figures) => figures.cases(scoring, show, page));
  }

  /**
   * Draws results of a group. When the run was counted, up to 200 of them were kept, a uniform sample (those with the
   * smallest hashes of their positions). The seed orders these, and the first ones are drawn: again a uniform sample of
   * the group. For a group of more than 200, all seeds draw from the same 200.
   */
  async draw(
    caller: Caller,
    { group, ...scoring }: Scoring & { group: string },
    { seed, count }: Omit<DrawQuery, 'rescore_id'>,
  ): Promise<DrawnResults | Counting> {
    const places = await this.#counted(caller, scoring, (figures) => figures.drawn(scoring, group));
    if ('status' in places) return places;
    return { items: await this.#of(caller).results(scoring, inDrawnOrder(places, seed).slice(0, count)) };
  }

  #of = ({ teamId }: Caller): RunFiguresRepository => new RunFiguresRepository(this.pool, teamId);

  /**
   * Has the figures computed for a run that ended before they were. If the notification is lost, the next request sends
   * it again.
   */
  async #counted<Figures>(
    caller: Caller,
    scoring: Scoring,
    read: (figures: RunFiguresRepository) => Promise<Figures | undefined>,
  ): Promise<Figures | Counting> {
    const { runId, rescoreId } = scoring;
    const found = await read(this.#of(caller));
    if (rescoreId !== undefined)
      await new RescoreRepository(this.pool, caller.teamId).requireCompleted(runId, rescoreId);
    if (found !== undefined) return found;
    await askForFigures(this.pool, scoring);
    return COUNTING;
  }
}
