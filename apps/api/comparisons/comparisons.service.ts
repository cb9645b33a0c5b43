import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { ComparedItem, CompareItemsQuery, CompareQuery, Comparison, Comparisons } from '#lib/contracts/comparison';
import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import { compareRuns, type CompareRequest } from '#lib/comparison/compare-runs';
import { pageItems } from '#lib/comparison/page-items';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { ComparableRunRepository } from '#lib/db/read/comparable-runs';
import { POOL } from '../platform/stores.js';
import { explanationOf } from '../results/explanation.js';
import { ComparisonCache } from './comparison-cache.js';
import { ComparisonTurns } from './comparison-turns.js';

/** Compares runs. Comparisons of finished runs are kept in memory. */
@Injectable()
export class ComparisonService {
  readonly #cache = new ComparisonCache();

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly turns: ComparisonTurns,
  ) {}

  async compare({ teamId }: Caller, query: CompareQuery, left: AbortSignal): Promise<Comparison | Comparisons> {
    const { runs, a, b, ...rest } = query;
    if (!runs) return this.#compareTwo(teamId, requestOf({ ...rest, ...pairOf(a, b) }), left);
    refuseBeside(query);
    const comparisons: Comparison[] = [];
    for (const other of runs.slice(1))
      comparisons.push(await this.#compareTwo(teamId, requestOf({ ...rest, a: runs[0]!, b: other }), left));
    return { comparisons };
  }

  items({ teamId }: Caller, query: CompareItemsQuery): Promise<Page<ComparedItem>> {
    const { a, b, target, outcome, category, limit, cursor, ...rest } = query;
    const request = requestOf({ ...rest, ...pairOf(a, b) });
    return this.turns.run(teamId, () =>
      pageItems(this.pool, teamId, { ...request, target, outcome, category, limit, cursor }, explanationOf),
    );
  }

  async #compareTwo(teamId: string, request: CompareRequest, left: AbortSignal): Promise<Comparison> {
    const runs = new ComparableRunRepository(this.pool, teamId);
    const found = await runs.readGenerations([request.a, request.b], request.extended);
    // All that the answer depends on: a resume makes another generation, and a finished rescore does not change.
    const key = JSON.stringify([teamId, found, request]);
    const json = await this.#cache.getOrMake(key, left, async (signal) => {
      const { comparison, states } = await this.turns.run(teamId, () => {
        signal.throwIfAborted();
        return compareRuns(this.pool, teamId, request, signal);
      });
      // A run may have been resumed since the key was made, or got more samples.
      const isSame = isDeepStrictEqual([states.a, states.b], found);
      const isFinal = isFinished(comparison.a.status) && isFinished(comparison.b.status);
      return { json: JSON.stringify(comparison), keep: isSame && isFinal };
    });
    return JSON.parse(json) as Comparison;
  }
}

type Sides = Pick<CompareRequest, 'a' | 'b'>;

function pairOf(a: string | undefined, b: string | undefined): Sides {
  if (a !== undefined && b !== undefined) return { a, b };
  throw new ProblemError(
    422,
    'Two runs are needed: a, the baseline, and b. GET /api/compare also takes runs: two to six ids, with commas.',
    [{ path: a === undefined ? '/a' : '/b', message: 'is missing' }],
  );
}

function refuseBeside({ a, b, rescore_b, runs = [] }: CompareQuery): void {
  const refuse = (detail: string, path: string, message: string): never => {
    throw new ProblemError(422, detail, [{ path, message }]);
  };
  if (a !== undefined || b !== undefined)
    refuse('Give either a and b, or runs.', '/runs', 'cannot be given beside a and b');
  if (rescore_b !== undefined)
    refuse('rescore_b belongs to b. Compare that run alone: with a and b.', '/rescore_b', 'needs a and b');
  const twice = runs.find((id, index) => runs.indexOf(id) !== index);
  if (twice) refuse(`runs names "${twice}" twice. Name each run once.`, '/runs', `has "${twice}" twice`);
}

type Asked = Sides &
  Pick<
    CompareQuery,
    | 'rescore_a'
    | 'rescore_b'
    | 'extended'
    | 'measure'
    | 'margin'
    | 'pairs'
    | 'cluster_by'
    | 'max_errored_share'
    | 'partial'
  >;

const requestOf = (query: Omit<Asked, 'cluster_by'> & Partial<Pick<Asked, 'cluster_by'>>): CompareRequest => ({
  a: query.a.toLowerCase(),
  b: query.b.toLowerCase(),
  rescoreA: query.rescore_a?.toLowerCase(),
  rescoreB: query.rescore_b?.toLowerCase(),
  extended: query.extended,
  measure: query.measure,
  margin: query.margin,
  pairs: query.pairs,
  clusterBy: query.cluster_by,
  maxErroredShare: query.max_errored_share,
  partial: query.partial,
});
