import { Inject, Injectable } from '@nestjs/common';
import type { CompareItemsQuery, CompareQuery } from '#lib/contracts/comparison';
import { ProblemError } from '#lib/contracts/input/problem';
import type { CompareRequest } from '#lib/comparison/compare-runs';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { ComparableRunRepository, type RunState } from '#lib/db/read/comparable-runs';
import { POOL } from '../platform/stores.js';
import { ComparisonAnswers, type Patience } from './comparison-answers.js';

/** JSON; undefined when it takes longer than the caller waits. */
type Answer = Uint8Array<ArrayBuffer> | undefined;

/** Compares runs. Comparisons of finished runs are kept in memory. */
@Injectable()
export class ComparisonService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly answers: ComparisonAnswers,
  ) {}

  async compare({ teamId }: Caller, query: CompareQuery, patience: Patience): Promise<Answer> {
    const { runs, a, b, wait: _wait, ...rest } = query;
    if (runs) refuseBeside(query);
    const [first, ...others] = runs ?? [];
    const requests = runs
      ? others.map((other) => requestOf({ ...rest, a: first!, b: other }))
      : [requestOf({ ...rest, ...pairOf(a, b) })];
    // Everything the answer depends on: a resume increments the generation, and a finished rescore does not change.
    const found = await this.#statesOf(teamId, requests);
    return this.answers.get({ what: 'compare', teamId, requests, found, listed: runs !== undefined }, patience);
  }

  async items({ teamId }: Caller, query: CompareItemsQuery, patience: Patience): Promise<Answer> {
    const { a, b, target, outcome, category, limit, cursor, wait: _wait, ...rest } = query;
    const request = { ...requestOf({ ...rest, ...pairOf(a, b) }), target, outcome, category, limit, cursor };
    const found = await this.#statesOf(teamId, [request]);
    return this.answers.get({ what: 'list-cases', teamId, request, found }, patience);
  }

  /** The states of all runs in the requests, without duplicates. */
  #statesOf(teamId: string, requests: readonly CompareRequest[]): Promise<RunState[]> {
    const ids = new Set(requests.flatMap(({ a, b }) => [a, b]));
    return new ComparableRunRepository(this.pool, teamId).readGenerations([...ids], requests[0]!.extended);
  }
}

type Sides = Pick<CompareRequest, 'a' | 'b'>;

function pairOf(a: string | undefined, b: string | undefined): Sides {
  if (a !== undefined && b !== undefined) return { a, b };
  throw new ProblemError(
    422,
    'Give two runs: a (the baseline) and b. GET /api/compare also takes runs: two to six ids, separated by commas.',
    [{ path: a === undefined ? '/a' : '/b', message: 'is missing' }],
  );
}

function refuseBeside({ a, b, rescore_b, runs = [] }: CompareQuery): void {
  const refuse = (detail: string, path: string, message: string): never => {
    throw new ProblemError(422, detail, [{ path, message }]);
  };
  if (a !== undefined || b !== undefined)
    refuse('Give either a and b, or runs.', '/runs', 'cannot be combined with a and b');
  if (rescore_b !== undefined)
    refuse('rescore_b is a rescore of run b. Give a and b instead of runs.', '/rescore_b', 'needs a and b');
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
