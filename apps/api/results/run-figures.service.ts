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
import { RunFiguresRepository } from '#lib/db/read/run-figures';
import { POOL } from '../platform/stores.js';

const COUNTING: Counting = { status: 'counting' };

/** What was counted of runs. Whoever asks for figures that are not there yet has them counted. */
@Injectable()
export class RunFiguresService {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  facets(caller: Caller, runId: string): Promise<RunFacets | Counting> {
    return this.#counted(runId, this.#of(caller).facets(runId));
  }

  confusion(caller: Caller, runId: string, target: string | undefined): Promise<Confusion | Counting> {
    return this.#counted(runId, this.#of(caller).confusion(runId, target));
  }

  failures(caller: Caller, runId: string, errorType: ErrorType | undefined): Promise<FailureGroups | Counting> {
    return this.#counted(runId, this.#of(caller).failures(runId, errorType));
  }

  cases(caller: Caller, runId: string, show: RunCasesQuery['show'], page: PageQuery): Promise<RunCases | Counting> {
    return this.#counted(runId, this.#of(caller).cases(runId, show, page));
  }

  /**
   * Draws results of a group. When the run was counted, up to 200 of them were kept, a uniform sample (those with the
   * smallest hashes of their places). The seed puts these in an order, and the first ones are drawn: a uniform sample
   * of the group again. Of a group of more than 200, all seeds draw from the same 200.
   */
  async draw(
    caller: Caller,
    { runId, group }: { runId: string; group: string },
    { seed, count }: DrawQuery,
  ): Promise<DrawnResults | Counting> {
    const figures = this.#of(caller);
    const places = await this.#counted(runId, figures.drawn(runId, group));
    if ('status' in places) return places;
    return { items: await figures.results(runId, inDrawnOrder(places, seed).slice(0, count)) };
  }

  #of = ({ teamId }: Caller): RunFiguresRepository => new RunFiguresRepository(this.pool, teamId);

  /** A run that ended before it was counted is counted now. A request that is lost is made again by the next one. */
  async #counted<Figures>(runId: string, figures: Promise<Figures | undefined>): Promise<Figures | Counting> {
    const found = await figures;
    if (found !== undefined) return found;
    await askForFigures(this.pool, runId);
    return COUNTING;
  }
}
