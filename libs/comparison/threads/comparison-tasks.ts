import { isDeepStrictEqual } from 'node:util';
import type { BaselineComparison, Comparison, Comparisons } from '#lib/contracts/comparison';
import { isFinished } from '#lib/contracts/values/jobs';
import type { SuiteChanges } from '#lib/contracts/suite-version';
import { inTransaction, type Pool } from '#lib/db/connection/pool';
import { storeLook, type LookedAt, type LookPlan } from '#lib/gate/rows/gate-looks';
import type { RunState } from '#lib/db/read/comparable-runs';
import { SuiteVersionRepository } from '#lib/db/read/suite-versions';
import { explainResult } from '#lib/scoring/house/explain-result';
import { comparedModels } from '../compared-models.js';
import { compareRuns, type ComparedRuns, type CompareRequest } from '../compare-runs.js';
import { measureGate, type GateSides } from '#lib/gate/measure-gate';
import type { GateToMeasure } from '#lib/gate/unmeasured-answer';
import { matchVersion, type DifferingCase } from '../match-version.js';
import { pageItems, type ItemsRequest } from '../page-items.js';
import { rankRun } from '../rank-run.js';
import { suiteChanges } from '../suite-changes.js';

interface GateMeasuring {
  gate: GateToMeasure;
  sides: GateSides;
  /** @see measureGate */
  lastLook: number;
}

/** Work that reads and computes for seconds: comparisons of runs of one team, and answers derived from them. */
export type ComparisonTask = { teamId: string } & (
  | {
      what: 'compare';
      requests: CompareRequest[];
      /** The states of the runs, in this order, which identify the cached answer. */
      found: RunState[];
      /** Whether the answer is a list. */
      listed: boolean;
    }
  /** The same for one pair, without the details that only a page shows. */
  | { what: 'compare-in-short'; request: CompareRequest }
  /** `found` as above: an answer for one state of the runs is not valid for another. */
  | { what: 'list-cases'; request: ItemsRequest; found: RunState[] }
  | { what: 'match-version'; runId: string; versionId: string }
  | { what: 'rank'; runId: string; found?: Pick<RunState, 'generation' | 'status'> }
  | ({ what: 'measure-gate' } & GateMeasuring)
  /** Measures, and stores the result as the next look. `data` identifies the state of the runs. */
  | ({ what: 'check-gate'; of: LookedAt; plan: LookPlan; data: string } & GateMeasuring)
  | { what: 'compare-versions'; suiteId: string; from: number; to: number | undefined }
);

/** An answer, ready to be sent. */
export interface JsonAnswer {
  /** JSON as UTF-8. */
  json: Uint8Array<ArrayBuffer>;
  /** Whether it can be cached for as long as the states in the request do not change. */
  keep: boolean;
}

/** The comparison's overall estimate, and what else a decision needs. */
export interface ShortComparison
  extends Pick<ComparedRuns, 'scores' | 'commonShare' | 'sameTargets'>, Pick<Comparison, 'all' | 'cases'> {
  models: NonNullable<BaselineComparison['models']>;
}

export interface ComparisonAnswers {
  compare: JsonAnswer;
  'compare-in-short': ShortComparison;
  'list-cases': JsonAnswer;
  'match-version': DifferingCase[];
  rank: JsonAnswer;
  'measure-gate': JsonAnswer;
  'check-gate': JsonAnswer;
  'compare-versions': JsonAnswer;
}

type TaskOf<What extends ComparisonTask['what']> = Extract<ComparisonTask, { what: What }>;

/** @param pool one connection is enough */
export async function runComparisonTask<What extends ComparisonTask['what']>(
  pool: Pool,
  task: TaskOf<What>,
): Promise<ComparisonAnswers[What]> {
  return (await answer(pool, task)) as ComparisonAnswers[What];
}

function answer(pool: Pool, task: ComparisonTask): Promise<ComparisonAnswers[ComparisonTask['what']]> {
  const { teamId } = task;
  switch (task.what) {
    case 'compare':
      return compare(pool, task);
    case 'compare-in-short':
      return compareInShort(pool, task);
    case 'list-cases':
      return pageItems(pool, teamId, task.request, explainResult).then(inJson);
    case 'match-version':
      return matchVersion(pool, teamId, task.runId, task.versionId);
    case 'rank':
      return rank(pool, task);
    case 'measure-gate':
      return measureGate(pool, teamId, task.gate, task.sides, task.lastLook).then(inJson);
    case 'check-gate':
      return checkGate(pool, task);
    case 'compare-versions':
      return compareVersions(pool, task).then(inJson);
  }
}

const inJson = (value: unknown, keep = false): JsonAnswer => ({
  json: new TextEncoder().encode(JSON.stringify(value)),
  keep,
});

async function compare(pool: Pool, { teamId, requests, found, listed }: TaskOf<'compare'>): Promise<JsonAnswer> {
  const comparisons: Comparison[] = [];
  let keep = true;
  for (const request of requests) {
    const { comparison, states } = await compareRuns(pool, teamId, request);
    comparisons.push(comparison);
    // A run may have been resumed since its state was read, or got more samples.
    keep &&= [states.a, states.b].every(
      (state) => isFinished(state.status) && found.some((one) => isDeepStrictEqual(one, state)),
    );
  }
  return inJson(listed ? ({ comparisons } satisfies Comparisons) : comparisons[0], keep);
}

async function compareInShort(pool: Pool, { teamId, request }: TaskOf<'compare-in-short'>): Promise<ShortComparison> {
  const { comparison, scores, commonShare, sameTargets } = await compareRuns(pool, teamId, request);
  const { all, cases, targets } = comparison;
  return { all, cases, models: comparedModels(targets), scores, commonShare, sameTargets };
}

async function rank(pool: Pool, { teamId, runId, found }: TaskOf<'rank'>): Promise<JsonAnswer> {
  const { ranking, state } = await rankRun(pool, teamId, runId);
  return inJson(ranking, state.generation === found?.generation && state.status === found.status);
}

async function checkGate(
  pool: Pool,
  { teamId, gate, sides, lastLook, of, plan }: TaskOf<'check-gate'>,
): Promise<JsonAnswer> {
  const measured = await measureGate(pool, teamId, gate, sides, lastLook);
  return inJson(await inTransaction(pool, (client) => storeLook(client, teamId, of, measured, plan)));
}

const compareVersions = (
  pool: Pool,
  { teamId, suiteId, from, to }: TaskOf<'compare-versions'>,
): Promise<SuiteChanges> =>
  SuiteVersionRepository.inSnapshot(pool, teamId, async (versions) => {
    const a = await versions.read(suiteId, from);
    const b = await versions.read(suiteId, to);
    const cases = await versions.compareCases(a.place, b.place);
    return { from: a.suite.version, to: b.suite.version, ...suiteChanges(a.suite, b.suite), cases };
  });
