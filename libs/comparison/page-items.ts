import type { CaseOutcome, ComparedItem } from '#lib/contracts/comparison';
import { ProblemError } from '#lib/contracts/input/problem';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { isFinished } from '#lib/contracts/values/jobs';
import type { Page } from '#lib/contracts/page';
import type { MeasuredCase } from '#lib/db/read/case-measurements';
import { ComparableRunRepository, type ComparableRun, type ComparableTarget } from '#lib/db/read/comparable-runs';
import type { Pool } from '#lib/db/connection/pool';
import type { ShownResult } from '#lib/db/read/results';
import { findCommonCases, type CommonCase } from './common-cases.js';
import { readSides, type CompareRequest } from './compare-runs.js';
import { outcomeOf } from './outcomes.js';
import { pairTargets } from './pair-targets.js';
import { readCounted } from './read-counted.js';
import { driftTestOf, type DriftTest } from './sample-drift.js';

/** Cases measured per statement. */
const CASES_AT_ONCE = 1000;
/** The maximum number of cases scanned per page, whatever its filter leaves of them, so that no page takes long. */
const MAX_SCANNED_CASES = 20_000;

export interface ItemsRequest extends Pick<
  CompareRequest,
  'a' | 'b' | 'rescoreA' | 'rescoreB' | 'extended' | 'measure' | 'margin' | 'pairs' | 'partial'
> {
  /** A target of either run. */
  target?: string;
  outcome?: CaseOutcome;
  category?: string;
  limit: number;
  cursor?: string;
}

/** The position of a case in the list: the pair of targets by their ordinals, and the position in the second run. */
export const ITEMS_CURSOR = /^\d{1,5}\.\d{1,5}\.\d{1,9}$/;

interface Side {
  run: ComparableRun;
  target: ComparableTarget;
}
interface Pair {
  a: Side;
  b: Side;
}
interface FoundCase {
  one: CommonCase;
  a: MeasuredCase;
  b: MeasuredCase;
  outcome: CaseOutcome;
}

/**
 * Pages through the cases scored in both runs, one pair of targets after another, in the order of the second run. With
 * a selective filter, a page may hold fewer cases than requested.
 * @param explain returns the sentences on a result
 * @throws ProblemError 400 for a cursor of another list, 404, 422 as `compareRuns`, and for unfinished runs
 */
export function pageItems(
  pool: Pool,
  teamId: string,
  request: ItemsRequest,
  explain: (shown: ShownResult) => string[],
): Promise<Page<ComparedItem>> {
  return ComparableRunRepository.inSnapshot(pool, teamId, async (runs) => {
    const [a, b] = await readSides(runs, request);
    if (!request.partial) [a, b].forEach(refuseUnfinished);
    const pairs = pairsOf(a, b, request);
    const start = startOf(pairs, request.cursor);
    const { common } = await findCommonCases(runs, a, b);
    const wanted = request.category === undefined ? common : common.filter((one) => one.category === request.category);
    const test = driftTestOf([a, b], request.margin);
    const items: ComparedItem[] = [];
    let scanned = 0;
    for (const [index, whole] of pairs.slice(start.pair).entries()) {
      const pair = await withoutDrift(runs, whole, common, { ...test, measure: request.measure });
      const left = index === 0 ? wanted.filter((one) => one.b > start.after) : wanted;
      for (let from = 0; from < left.length; from += CASES_AT_ONCE) {
        const block = left.slice(from, from + CASES_AT_ONCE);
        const found = (await measureBlock(runs, pair, block, request)).slice(0, request.limit - items.length);
        items.push(...(await toItems(runs, pair, found, explain)));
        if (items.length === request.limit) return { items, next_cursor: cursorOf(pair, found.at(-1)!.one.b) };
        if ((scanned += block.length) >= MAX_SCANNED_CASES)
          return { items, next_cursor: cursorOf(pair, block.at(-1)!.b) };
      }
    }
    return { items, next_cursor: null };
  });
}

function refuseUnfinished({ id, status }: ComparableRun): void {
  if (isFinished(status)) return;
  throw new ProblemError(
    422,
    `The run is ${status}. Its cases can be compared once it is completed, or as far as they are settled.`,
  ).as('run_unfinished', { run_id: id, status });
}

function pairsOf(a: ComparableRun, b: ComparableRun, { pairs: asked, target }: ItemsRequest): Pair[] {
  const names = ({ targets }: ComparableRun): string[] => targets.map(({ name }) => name);
  const side = (run: ComparableRun, name: string): Side => ({
    run,
    target: run.targets.find((one) => one.name === name)!,
  });
  const { pairs } = pairTargets(names(a), names(b), asked);
  const chosen = pairs.filter((pair) => target === undefined || pair.a === target || pair.b === target);
  if (target !== undefined && chosen.length === 0) {
    const compared = [...new Set(pairs.flatMap((pair) => [pair.a, pair.b]))];
    throw new ProblemError(
      422,
      `No compared target is "${target}". ${suggestNames(target, compared, 'compared targets')}`,
      [{ path: '/target', message: 'is in no pair of targets that is compared' }],
    );
  }
  return chosen.map((pair) => ({ a: side(a, pair.a), b: side(b, pair.b) }));
}

/** The pair at which a page starts, and the position in the second run after which it starts. */
function startOf(pairs: readonly Pair[], cursor: string | undefined): { pair: number; after: number } {
  if (cursor === undefined) return { pair: 0, after: -1 };
  const [ordinalA, ordinalB, after] = cursor.split('.').map(Number);
  const pair = pairs.findIndex(({ a, b }) => a.target.ordinal === ordinalA && b.target.ordinal === ordinalB);
  if (pair >= 0) return { pair, after: after! };
  throw new ProblemError(400, 'The cursor does not come from this list.', [
    { path: '/cursor', message: 'take it from next_cursor' },
  ]).as('invalid_cursor');
}

const cursorOf = ({ a, b }: Pair, position: number): string => `${a.target.ordinal}.${b.target.ordinal}.${position}`;

/** The pair with the samples that its comparison counts. */
async function withoutDrift(
  runs: ComparableRunRepository,
  { a, b }: Pair,
  cases: readonly CommonCase[],
  { measure, ...test }: DriftTest & Pick<ItemsRequest, 'measure'>,
): Promise<Pair> {
  const counted = async ({ run, target }: Side, of: 'a' | 'b'): Promise<Side> => {
    if (run.extensions.length === 0) return { run, target };
    const what = { side: of === 'a' ? ('baseline' as const) : ('run' as const), run, name: target.name, cases, of };
    return { run: (await readCounted(runs, what, { measure, tools: [] }, test)).run, target };
  };
  return { a: await counted(a, 'a'), b: await counted(b, 'b') };
}

/** The cases of a block that both sides have scored, with the requested outcome. */
async function measureBlock(
  runs: ComparableRunRepository,
  pair: Pair,
  block: readonly CommonCase[],
  { measure, outcome: asked }: Pick<ItemsRequest, 'measure' | 'outcome'>,
): Promise<FoundCase[]> {
  const read = async ({ run, target }: Side, positions: number[]): Promise<Map<number, MeasuredCase>> => {
    const rows = await runs.measure(run, target, { positions, measure, tools: [] });
    return new Map(rows.map((row) => [row.position, row]));
  };
  const inA = await read(
    pair.a,
    block.map((one) => one.a),
  );
  const inB = await read(
    pair.b,
    block.map((one) => one.b),
  );
  return block.flatMap((one) => {
    const [a, b] = [inA.get(one.a), inB.get(one.b)];
    const outcome = a && b && outcomeOf(a, b);
    return a && b && outcome && (asked === undefined || outcome === asked) ? [{ one, a, b, outcome }] : [];
  });
}

async function toItems(
  runs: ComparableRunRepository,
  { a, b }: Pair,
  found: readonly FoundCase[],
  explain: (shown: ShownResult) => string[],
): Promise<ComparedItem[]> {
  if (found.length === 0) return [];
  const shownA = await runs.readShown(
    a.run,
    a.target,
    found.map(({ one }) => one.a),
  );
  const shownB = await runs.readShown(
    b.run,
    b.target,
    found.map(({ one }) => one.b),
  );
  const side = (shown: ShownResult, measured: MeasuredCase): ComparedItem['a'] => ({
    eval_id: shown.runId,
    result_id: shown.result.id,
    score: measured.mean,
    passed_samples: measured.passed,
    scored_samples: measured.scored,
    errored_samples: measured.errored,
    called: shown.result.called,
    difference: shown.result.difference,
    explanation: explain(shown),
  });
  return found.map(({ one, outcome, ...measured }) => {
    const [inA, inB] = [shownA.get(one.a)!, shownB.get(one.b)!];
    const { case_id, case_name, prompt, expected } = inB.result;
    return {
      case_id,
      case_name,
      category: one.category,
      prompt,
      expected,
      target_a: a.target.name,
      target_b: b.target.name,
      outcome,
      a: side(inA, measured.a),
      b: side(inB, measured.b),
    };
  });
}
