import { MAX_FACET_VALUES } from '#lib/contracts/run-facets';
import type {
  CountedCase,
  CountedCaseFigures,
  CountedFailure,
  CountedResults,
  CountedValues,
} from '#lib/contracts/counted';
import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { Ranking } from '#lib/contracts/ranking';
import { LATENCY_BINS } from '#lib/counting/bins';
import { RunCounter } from '#lib/counting/run-counter';
import { withLease } from '#lib/db/connection/lease';
import type { Pool } from '#lib/db/connection/pool';
import { runsToCount, storeCaseFigures, storeFigures, type RunToCount } from '#lib/db/engine/run-figures';
import {
  casesToCount,
  countResultsByCase,
  lowered,
  readCountableRun,
  readTogether,
  resultsToCount,
  suiteToolNames,
  topValues,
  type CountableRun,
} from '#lib/db/read/for-workers/results-to-count';
import { scoringIdOf } from '#lib/db/read/run-figures';
import { Semaphore } from '#lib/runtime/semaphore';
import { RetryBackoff } from '../orchestration/retry-backoff.js';
import { COUNTED_AT_ONCE } from './step-pools.js';

/** Runs with more results than this take seconds. They wait for one another, but do not block smaller ones. */
const LARGE = 200_000;
/** The maximum number of tool names taken only from cases, for distinguishing the called tools. */
const MAX_TOOL_NAMES = 1_000;
/** A run whose ranking takes longer, or waits for its team's comparisons, is counted without it: others are waiting. */
const RANK_TIMEOUT_MS = 60_000;

const isLarge = ({ results }: RunToCount): boolean => results > LARGE;

const LATENCIES = LATENCY_BINS.map(({ from }) => from);

/**
 * Counts the results of finished runs and of rescores once, and ranks the models of runs; pages read these figures for
 * runs of any size. It reads a few thousand results at a time and holds no lock on a run. Only the last statement
 * stores anything, so a run whose process dies is counted again from the start.
 */
export class Counter {
  readonly #backoff = new RetryBackoff();
  readonly #small = new Semaphore(COUNTED_AT_ONCE.small);
  readonly #large = new Semaphore(COUNTED_AT_ONCE.large);

  constructor(readonly deps: { pool: Pool; locks: Pool; comparing: Comparer }) {}

  /** The requested runs, except those that failed a moment ago. */
  toCount(): Promise<RunToCount[]> {
    return runsToCount(this.deps.pool, this.#backoff.waiting());
  }

  /** Runs of the same key take turns: those of a team, with large ones separate from the others. */
  keyOf = (run: RunToCount): string => `${run.teamId} ${isLarge(run)}`;

  async count(run: RunToCount, stop: AbortSignal): Promise<void> {
    const turns = isLarge(run) ? this.#large : this.#small;
    const id = scoringIdOf(run);
    await turns.run(() =>
      withLease(this.deps.locks, `count ${id}`, async () => {
        try {
          stop.throwIfAborted();
          await countRun(this.deps, run, stop);
          this.#backoff.clear(id);
        } catch (error) {
          if (!stop.aborted) this.#backoff.add(id);
          throw error;
        }
      }),
    );
  }
}

/** Counts one run, unless it was resumed, deleted, or counted by another process. */
async function countRun(
  { pool, comparing }: Pick<Counter['deps'], 'pool' | 'comparing'>,
  asked: RunToCount,
  signal: AbortSignal,
): Promise<void> {
  const run = await readCountableRun(pool, asked);
  if (run?.generation !== asked.generation) return;
  const results = await countResultsByCase(pool, run, signal);
  const names = run.targets.map(({ name }) => name);
  const counter = new RunCounter(names, await valuesOf(pool, run, results));
  for await (const page of casesToCount(pool, run, results)) {
    const figures: CountedCaseFigures[] = [];
    for (const cases of readTogether(page, results)) {
      signal.throwIfAborted();
      figures.push(...countCases(counter, cases, await resultsToCount(pool, run, cases, LATENCIES)));
    }
    await storeCaseFigures(pool, asked, figures);
  }
  await storeFigures(pool, asked, counter.finish(), await rankingOf(comparing, asked, signal));
}

/**
 * Null when it cannot be computed: the reason is then shown on request, and nothing else waits for it. The models of a
 * rescore are not ranked.
 */
async function rankingOf(
  comparing: Comparer,
  { teamId, runId, rescoreId }: RunToCount,
  signal: AbortSignal,
): Promise<Ranking | null> {
  if (rescoreId !== undefined) return null;
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(RANK_TIMEOUT_MS)]);
    const { json } = await comparing.run({ what: 'rank', teamId, runId }, inTime);
    return JSON.parse(Buffer.from(json).toString()) as Ranking;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

async function valuesOf(pool: Pool, run: CountableRun, results: ReadonlyMap<number, number>): Promise<CountedValues> {
  const labels = await topValues(pool, run, 'expected', results, Math.max(MAX_FACET_VALUES, MAX_TOOL_NAMES));
  const suite = await suiteToolNames(pool, run);
  const names = await lowered(pool, labels.values);
  const kept = labels.values.slice(0, MAX_FACET_VALUES);
  return {
    // The suite's spelling comes last and overrides.
    called: new Map([
      ...names.map((name, index) => [name, labels.values[index]!] as const).reverse(),
      ...suite.map(({ name, shown }) => [name, shown] as const).reverse(),
    ]),
    suiteTools: new Set(suite.map(({ name }) => name)),
    expected: { values: kept, others: labels.others + labels.values.length - kept.length },
    category: await topValues(pool, run, 'category', results, MAX_FACET_VALUES),
    tag: await topValues(pool, run, 'tag', results, MAX_FACET_VALUES),
  };
}

function countCases(
  counter: RunCounter,
  cases: readonly CountedCase[],
  { passed, failures }: { passed: readonly CountedResults[]; failures: readonly CountedFailure[] },
): CountedCaseFigures[] {
  const passedOf = Map.groupBy(passed, ({ position }) => position);
  const failuresOf = Map.groupBy(failures, ({ position }) => position);
  return cases.flatMap((one) => {
    const figures = counter.addCase(one, passedOf.get(one.position) ?? [], failuresOf.get(one.position) ?? []);
    return figures ? [figures] : [];
  });
}
