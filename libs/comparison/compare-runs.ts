import type { Comparison } from '#lib/contracts/comparison';
import type { SampleDrift } from '#lib/contracts/sample-drift';
import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/values/jobs';
import { COMPARED_FIGURES } from '#lib/contracts/values/conversations';
import { metricName } from '#lib/contracts/metric';
import type { MeasuredCase } from '#lib/db/read/case-measurements';
import { ComparableRunRepository, type ComparableRun, type RunState } from '#lib/db/read/comparable-runs';
import type { Pool } from '#lib/db/connection/pool';
import { CallCounts, ToolNames } from './call-counts.js';
import { findCommonCases, type CommonCase, type CommonCases } from './common-cases.js';
import { ComparisonBuilder, type ComparisonFrame, type Confusion, type PairFigures } from './comparison-builder.js';
import type { CaseMeasurement, PairedCase, TargetPair } from './measurements.js';
import { notesOn } from './notes.js';
import { pairTargets, type PairedTargets } from './pair-targets.js';
import { driftTestOf, type DriftTest } from './sample-drift.js';
import { readCounted } from './read-counted.js';
import { SideTotals } from './side-totals.js';
import { whatChanged, type RunTreatment } from './what-changed.js';

export interface CompareRequest {
  /** The baseline run. */
  a: string;
  b: string;
  /** The rescore of the run whose verdicts are compared; undefined for the first verdicts. */
  rescoreA?: string;
  rescoreB?: string;
  /** Reads each run together with the completed runs that added samples to it. */
  extended?: boolean;
  measure: string;
  /** A share: 0.02 is two points, and 0 accepts any difference. */
  margin: number;
  /** `<target of a>~<target of b>`; undefined: equal targets, or the single target of each run. */
  pairs?: readonly string[];
  /** `tag:<prefix>` */
  clusterBy?: string;
  maxErroredShare: number;
  /** What sentences call the runs, if not "the baseline" and "the new run". */
  sides?: readonly [a: string, b: string];
  /** Compares the settled results of unfinished runs. */
  partial: boolean;
  /** Both runs have all their results, regardless of their status: a worker compares a run just before it ends. */
  settled?: boolean;
}

export interface ComparedRuns {
  comparison: Comparison;
  /** The mean of the targets' mean overall scores over the common cases; null when nothing is scored. */
  scores: { a: number | null; b: number | null };
  /** Common cases / cases of the larger run, 0..1. */
  commonShare: number;
  /** Whether both runs have the same targets. */
  sameTargets: boolean;
  /** The states of the runs that were compared. */
  states: { a: RunState; b: RunState };
}

/** The measurements of a pair of targets over all common cases. */
export interface MeasuredPair extends PairFigures {
  pair: TargetPair;
  /** In the order of the second run. */
  common: readonly CommonCase[];
  /** The same cases with their measurements. */
  cases: readonly PairedCase[];
  /** The cost of each target's results, in US dollars; null when unknown. */
  cost: { a: number | null; b: number | null };
  /** Added samples that do not count, and both runs without them. */
  drift: SampleDrift[];
  sides: { a: ComparableRun; b: ComparableRun };
}

/**
 * Compares two runs of a team, case by case. It reads them in one snapshot, and holds the cases of one pair of targets
 * at a time. Unfinished runs are compared only with `partial`, and then without a verdict. Large runs block the thread
 * for seconds.
 * @throws ProblemError 404 for a run or rescore that the team does not have, 422 for what cannot be compared
 */
export const compareRuns = (pool: Pool, teamId: string, request: CompareRequest): Promise<ComparedRuns> =>
  ComparableRunRepository.inSnapshot(pool, teamId, (runs) => compareIn(runs, request));

/**
 * Like `compareRuns`, in an existing snapshot.
 * @param onPair is called with each pair of targets, sequentially
 */
export async function compareIn(
  runs: ComparableRunRepository,
  request: CompareRequest,
  onPair?: (pair: MeasuredPair) => Promise<void>,
): Promise<ComparedRuns> {
  const [a, b] = await readSides(runs, request);
  const targets = pairTargets(namesOf(a), namesOf(b), request.pairs);
  const cases = await findCommonCases(runs, a, b, request.clusterBy?.slice('tag:'.length));
  const running = !request.settled && (!isFinished(a.status) || !isFinished(b.status));
  const builder = new ComparisonBuilder(frameOf({ a, b, targets, cases, request, running }));
  const totals = { a: new SideTotals(), b: new SideTotals() };
  const tools = new ToolNames([
    ...[...a.tools, ...b.tools].map((tool) => tool.function.name),
    ...new Set(cases.common.flatMap(({ tool }) => tool.split(' or '))),
  ]);
  const pairs = running && !request.partial ? [] : targets.pairs;
  const test = driftTestOf([a, b], request.margin);
  for (const pair of pairs) {
    const measured = await addPair({ runs, a, b, request, cases, tools, builder, totals, test }, pair);
    await onPair?.(measured);
  }
  return {
    comparison: builder.finish(
      {
        cost: { a: totals.a.cost, b: totals.b.cost },
        latency_p50_ms: { a: totals.a.medianLatency, b: totals.b.medianLatency },
      },
      { a: totals.a.replies, b: totals.b.replies },
    ),
    scores: { a: totals.a.score, b: totals.b.score },
    commonShare: cases.common.length / Math.max(a.caseCount, b.caseCount, 1),
    sameTargets: a.targets.length === b.targets.length && namesOf(a).every((name) => namesOf(b).includes(name)),
    states: { a: stateOf(a), b: stateOf(b) },
  };
}

const stateOf = ({ id, generation, status, extensions }: ComparableRun): RunState => ({
  id,
  generation,
  status,
  extensions,
});
const namesOf = ({ targets }: ComparableRun): string[] => targets.map(({ name }) => name);

/** Reads and validates both runs. */
export async function readSides(
  runs: ComparableRunRepository,
  request: Pick<CompareRequest, 'a' | 'b' | 'rescoreA' | 'rescoreB' | 'extended' | 'measure' | 'pairs'>,
): Promise<[ComparableRun, ComparableRun]> {
  const { extended } = request;
  checkExtended(request);
  const a = await runs.read(request.a, { rescoreId: request.rescoreA, extended });
  const b = await runs.read(request.b, { rescoreId: request.rescoreB, extended });
  if (a.id === b.id && a.rescore?.id === b.rescore?.id && !request.pairs?.length)
    throw new ProblemError(422, 'Both are the same run. Choose two of its models to compare, or one of its rescores.', [
      { path: '/b', message: 'is the same run as a' },
    ]);
  checkRescore(a, 'rescore_a');
  checkRescore(b, 'rescore_b');
  checkMeasure(a, b, request.measure);
  return [a, b];
}

function checkExtended({
  extended,
  rescoreA,
  rescoreB,
}: Pick<CompareRequest, 'extended' | 'rescoreA' | 'rescoreB'>): void {
  if (!extended || (rescoreA === undefined && rescoreB === undefined)) return;
  throw new ProblemError(
    422,
    'A rescore has no verdicts on samples that were added to its run. Leave out either the added samples or the ' +
      'rescore.',
    [{ path: '/extended', message: 'cannot be combined with rescore_a or rescore_b' }],
  );
}

function checkRescore({ rescore }: ComparableRun, parameter: string): void {
  if (!rescore || rescore.status === 'completed') return;
  throw new ProblemError(
    422,
    isFinished(rescore.status)
      ? `The rescore "${rescore.id}" is ${rescore.status} and lacks verdicts. Rescore the run again.`
      : `The rescore "${rescore.id}" is ${rescore.status}. Its verdicts can be compared once it is completed.`,
    [{ path: `/${parameter}`, message: `is ${rescore.status}, not completed` }],
  ).as('rescore_unfinished', { rescore_id: rescore.id, status: rescore.status });
}

function checkMeasure(a: ComparableRun, b: ComparableRun, measure: string): void {
  const ofB = new Set(measuresOf(b));
  const common = measuresOf(a).filter((name) => ofB.has(name));
  if (common.includes(measure)) return;
  const lacking = !measuresOf(a).includes(measure) && !ofB.has(measure) ? 'Neither run has' : 'One of the runs lacks';
  throw new ProblemError(
    422,
    `${lacking} the measure "${measure}". Both have: ${common.join(', ')}. A rescore can compute further metrics.`,
    [{ path: '/measure', message: `must be one of: ${common.join(', ')}` }],
  ).as('measure_missing', { measure, common: common.join(', ') });
}

const measuresOf = ({ config, rescore, hasConversations }: ComparableRun): string[] => [
  'overall',
  'passed',
  ...(rescore?.options ?? config).metrics.map(metricName),
  ...(hasConversations ? COMPARED_FIGURES : []),
];

interface Framed {
  a: ComparableRun;
  b: ComparableRun;
  targets: PairedTargets;
  cases: CommonCases;
  request: CompareRequest;
  running: boolean;
}

function frameOf({ a, b, targets, cases, request, running }: Framed): ComparisonFrame {
  const [madeA, madeB] = [treatmentOf(a), treatmentOf(b)];
  return {
    a: { ...headOf(a), unmatched: targets.unmatched.a },
    b: { ...headOf(b), unmatched: targets.unmatched.b },
    what_changed: whatChanged(madeA, madeB, targets.pairs),
    notes: notesOn(madeA, madeB, cases),
    cases: {
      common: cases.common.length,
      changed: cases.changed,
      only_a: cases.onlyA,
      only_b: cases.onlyB,
    },
    measure: request.measure,
    margin: request.margin,
    maxErroredShare: request.maxErroredShare,
    sides: request.sides,
    running,
  };
}

const headOf = (run: ComparableRun): Omit<ComparisonFrame['a'], 'unmatched'> => ({
  id: run.id,
  rescore_id: run.rescore?.id ?? null,
  suite: run.suite,
  status: run.status,
  targets: namesOf(run),
  samples: run.samples,
  created_at: run.createdAt.toISOString(),
});

const treatmentOf = (run: ComparableRun): RunTreatment => ({
  id: run.id,
  config: run.config,
  targets: run.targets.map(({ name, params, systemPrompt }) => ({ target: name, params, systemPrompt })),
  suite: {
    id: run.suite.id,
    version: run.suite.version,
    systemPrompt: run.systemPrompt,
    tools: run.tools,
    passThreshold: run.passThreshold,
    conversation: run.conversation,
  },
  rescore: run.rescore?.options ?? null,
  scoringVersions: run.scoringVersions,
  sentOtherwise: run.sentOtherwise,
});

interface Reading {
  runs: ComparableRunRepository;
  a: ComparableRun;
  b: ComparableRun;
  request: Pick<CompareRequest, 'measure'>;
  cases: Pick<CommonCases, 'common'>;
  tools: ToolNames;
  builder: ComparisonBuilder;
  totals: { a: SideTotals; b: SideTotals };
  test: DriftTest;
}

/** Reads two targets' results on the common cases, and adds them to the comparison. */
async function addPair(reading: Reading, pair: TargetPair): Promise<MeasuredPair> {
  const { cases, cost, confusion, drift, sides } = await measurePair(reading, pair);
  const measured = reading.builder.addTargets(pair, cases, confusion, drift);
  return { pair, common: reading.cases.common, cases, cost, drift, sides, ...measured };
}

/** Releases the result rows when it returns: they take more memory than everything derived from them. */
async function measurePair(
  { runs, a, b, request, cases, tools, totals, test }: Reading,
  pair: TargetPair,
): Promise<Pick<MeasuredPair, 'cases' | 'cost' | 'drift' | 'sides'> & { confusion: Confusion[] }> {
  const what = { measure: request.measure, tools: tools.lower };
  const counted = {
    a: await readCounted(runs, { side: 'baseline', run: a, name: pair.a, cases: cases.common, of: 'a' }, what, test),
    b: await readCounted(runs, { side: 'run', run: b, name: pair.b, cases: cases.common, of: 'b' }, what, test),
  };
  const [ofA, ofB] = [counted.a.cases, counted.b.cases];
  totals.a.addTarget(ofA);
  totals.b.addTarget(ofB);
  const [byA, byB] = [byPosition(ofA), byPosition(ofB)];
  const calls = new CallCounts(tools);
  const paired = cases.common.map(({ a: placeA, b: placeB, ...head }, index): PairedCase => {
    const [inA, inB] = [byA.get(placeA), byB.get(placeB)];
    if (inA?.scored && inB?.scored) {
      totals.a.addCase(inA);
      totals.b.addCase(inB);
      calls.add('a', head.tool, inA.called);
      calls.add('b', head.tool, inB.called);
    }
    return { index, ...head, a: toMeasurement(inA), b: toMeasurement(inB) };
  });
  return {
    cases: paired,
    cost: { a: costOf(ofA), b: costOf(ofB) },
    confusion: calls.finish(),
    drift: [...counted.a.drift, ...counted.b.drift],
    sides: { a: counted.a.run, b: counted.b.run },
  };
}

function costOf(cases: readonly MeasuredCase[]): number | null {
  const costs = cases.flatMap(({ cost }) => cost ?? []);
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

const byPosition = (cases: readonly MeasuredCase[]): Map<number, MeasuredCase> =>
  new Map(cases.map((one) => [one.position, one]));

const NOTHING: CaseMeasurement = { scored: 0, errored: 0, passed: 0, mean: null, variance: null };
const toMeasurement = (measured?: MeasuredCase): CaseMeasurement =>
  measured
    ? {
        scored: measured.scored,
        errored: measured.errored,
        passed: measured.passed,
        mean: measured.mean,
        variance: measured.variance,
      }
    : NOTHING;
