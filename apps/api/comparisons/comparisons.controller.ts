import { Controller, Get, Query, Res, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Comparing } from '#lib/contracts/comparing';
import { ComparedItem, CompareItemsQuery, CompareQuery, Comparison, Comparisons } from '#lib/contracts/comparison';
import { pageOf } from '#lib/contracts/page';
import { ITEMS_CURSOR } from '#lib/comparison/page-items';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, cursorOf, Me } from '../platform/decorators.js';
import { patienceOf, sendComparison } from './send-comparison.js';
import { ProblemError } from '#lib/contracts/input/problem';
import type { CompareRequest } from '#lib/comparison/compare-runs';
import type { Pool } from '#lib/db/connection/pool';
import { ComparableRunRepository, type RunState } from '#lib/db/read/comparable-runs';
import { POOL } from '../platform/stores.js';
import { ComparisonAnswers } from './comparison-answers.js';

/** Compares runs. Comparisons of finished runs are kept in memory. */
@Controller('api/compare')
export class ComparisonsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly answers: ComparisonAnswers,
  ) {}

  @Get()
  @About(
    'Compare runs',
    'Case by case, with the uncertainty of each difference. Give `a` (the baseline) and `b` for one comparison, or ' +
      '`runs` for several with the first of them. Only cases that are the same in both runs are compared; ' +
      'prompts, tools, parameters and models may differ. An unfinished run is `not_comparable`.',
  )
  @Answers(200, z.union([Comparison, Comparisons]).meta({ description: 'One comparison, or several.' }), 404, 422, 429)
  @Answers(202, Comparing)
  async compare(
    @Me() { teamId }: Caller,
    @Query({ schema: CompareQuery }) query: CompareQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const patience = patienceOf(reply, query.wait);
    const { runs, a, b, ...rest } = query;
    if (runs) refuseRunsWithPair(query);
    const [first, ...others] = runs ?? [];
    const requests = runs
      ? others.map((other) => requestOf({ ...rest, a: first!, b: other }))
      : [requestOf({ ...rest, ...pairOf(a, b) })];
    // Everything the answer depends on: a resume increments the generation, and a finished rescore does not change.
    const found = await this.#statesOf(teamId, requests);
    const asked = { what: 'compare', teamId, requests, found, listed: runs !== undefined } as const;
    return sendComparison(await this.answers.get(asked, patience), reply);
  }

  @Get('items')
  @About(
    'List the cases of a comparison',
    'The cases that both runs have scored, with both calls and both verdicts in plain sentences. With a filter, a ' +
      'page may hold fewer cases than `limit`, or none: read on until `next_cursor` is null.',
  )
  @Answers(200, pageOf(ComparedItem), 404, 422, 429)
  @Answers(202, Comparing)
  async items(
    @Me() { teamId }: Caller,
    @Query({ schema: CompareItemsQuery }) query: CompareItemsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const patience = patienceOf(reply, query.wait);
    const { a, b, target, outcome, category, limit, ...rest } = query;
    const cursor = cursorOf(query.cursor, ITEMS_CURSOR);
    const request = { ...requestOf({ ...rest, ...pairOf(a, b) }), target, outcome, category, limit, cursor };
    const found = await this.#statesOf(teamId, [request]);
    return sendComparison(await this.answers.get({ what: 'list-cases', teamId, request, found }, patience), reply);
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
    'Give two runs: the baseline as a and the other as b; or two to six ids as runs, separated by commas.',
    [{ path: a === undefined ? '/a' : '/b', message: 'is missing' }],
  );
}

function refuseRunsWithPair({ a, b, rescore_b, runs = [] }: CompareQuery): void {
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

type ComparisonSettings = Sides &
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

const requestOf = (
  query: Omit<ComparisonSettings, 'cluster_by'> & Partial<Pick<ComparisonSettings, 'cluster_by'>>,
): CompareRequest => ({
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
