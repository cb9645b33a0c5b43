import type { Comparison } from '#lib/contracts/comparison';
import { ProblemError } from '#lib/contracts/input/problem';
import type { MeasuredCase } from '#lib/db/read/case-measurements';
import { ComparableRunRepository, type ComparableRun, type RunState } from '#lib/db/read/comparable-runs';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { holm } from '#lib/scoring/statistics/holm';
import { compareIn, type MeasuredPair } from '#lib/comparison/compare-runs';
import type { TargetPair } from '#lib/comparison/measurements';
import type { GateAnswer, GateRules, GateTarget } from './contract.js';
import { alphaOfLook } from './alpha.js';
import { findBroken, nameBroken, type BrokenCase } from './critical-cases.js';
import { decideGate, resultOf, type GateLevel, type GateObstacle } from './decide-gate.js';
import { NOT_MEASURED, sentenceOnGate } from './gate-sentence.js';
import { decidePair, sumUp, type DecidedTarget, type SummedPair } from './measure-target.js';
import { headOfAnswer, unmeasuredAnswer, type GateToMeasure } from './unmeasured-answer.js';
import { noted } from '#lib/contracts/note';
import { notesOnGate, type UnguardedCases } from './gate-notes.js';

export interface GateSides {
  /** Null when the gate has no baseline. */
  baselineId: string | null;
  runId: string;
}

export interface MeasuredGate {
  answer: Omit<GateAnswer, 'look'>;
  /** Identifies the measured data: the runs of both sides with their extensions and generations, as JSON. */
  data: string;
  /** Average number of scored samples per case: baseline first. */
  samples: [number, number];
  /** Critical cases that look broken with fewer than 3 samples on a side: positions in each run's own version. */
  unconfirmed: { a: number; b: number; samples: [number, number] }[];
  /** Whether further samples, up to those of the last look, can still decide. */
  canDecide: boolean;
}

/**
 * Measures a run for a gate, including the samples added to either side, in one database snapshot.
 * @param lastLook samples per case on each side at the last look, for `canDecide`
 * @throws ProblemError 404 when the team has no such run, 422 for a measure that a run lacks
 */
export function measureGate(
  pool: Pool,
  teamId: string,
  gate: GateToMeasure,
  sides: GateSides,
  lastLook: number,
): Promise<MeasuredGate> {
  return ComparableRunRepository.inSnapshot(pool, teamId, async (runs) => {
    const run = await runs.read(sides.runId, { extended: true });
    const baseline = await readBaseline(sides, (id) => runs.read(id, { extended: true }));
    const read = { gate, run, baseline };
    const measured = obstacleOf(read) ?? (await measureSides(runs, { ...read, baseline: baseline!, lastLook }));
    return { ...measured, data: dataOf(baseline, run) };
  });
}

/**
 * The `data` of `measureGate`, without measuring.
 * @throws ProblemError 404 when the team has no such run
 */
export async function readGateData(db: Pool | PoolClient, teamId: string, sides: GateSides): Promise<string> {
  const runs = new ComparableRunRepository(db, teamId);
  const readState = async (id: string): Promise<RunState> => (await runs.readGenerations([id], true))[0]!;
  const run = await readState(sides.runId);
  return dataOf(await readBaseline(sides, readState), run);
}

/** Reads the baseline with `read`; null when the gate has no baseline, or it was deleted. */
async function readBaseline<Read>(
  { baselineId }: GateSides,
  read: (id: string) => Promise<Read>,
): Promise<Read | null> {
  if (baselineId === null) return null;
  return read(baselineId).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 404) return null;
    throw error;
  });
}

function dataOf(baseline: RunState | null, run: RunState): string {
  const key = ({ id, generation, extensions }: RunState) => ({ id, generation, extensions });
  return JSON.stringify({ baseline: baseline && key(baseline), run: key(run) });
}

type Measured = Omit<MeasuredGate, 'data'>;
interface Read {
  gate: GateToMeasure;
  run: ComparableRun;
  baseline: ComparableRun | null;
}

const namesOf = ({ targets }: ComparableRun): string[] => targets.map(({ name }) => name);

/** The answer when nothing can be measured. */
function obstacleOf({ gate, run, baseline }: Read): Measured | undefined {
  const models = gate.rules.models ?? namesOf(baseline ?? run);
  const unmeasured = (reason: GateObstacle, text: string): Measured => {
    const targets = models.map((target) => unmeasuredTarget(target, null, reason, text));
    return { ...NOTHING, answer: unmeasuredAnswer(gate, sidesOf({ run, baseline }), text, targets) };
  };
  if (!baseline) return unmeasured('no_baseline', NOT_MEASURED.noBaseline);
  if (baseline.id === run.id) return unmeasured('no_baseline', NOT_MEASURED.itself);
  for (const [side, { status }] of Object.entries({ baseline, run }))
    if (status !== 'completed') return unmeasured('unfinished', NOT_MEASURED.unfinished(side, status));
  return undefined;
}

const NOTHING = { samples: [0, 0] as [number, number], unconfirmed: [], canDecide: false };

const sidesOf = ({ run, baseline }: Pick<Read, 'run' | 'baseline'>): GateSides => ({
  runId: run.id,
  baselineId: baseline?.id ?? null,
});

function unmeasuredTarget(
  target: string,
  baselineTarget: string | null,
  reason: GateObstacle,
  text: string,
): GateTarget {
  return {
    target,
    baseline_target: baselineTarget,
    result: resultOf(reason),
    reason,
    text,
    n_cases: 0,
    samples: [0, 0],
    mean_a: null,
    mean_b: null,
    difference: null,
    ci: null,
    p: null,
    p_holm: null,
    pass_rate: null,
    pass_rate_ci: null,
    errored_shares: [0, 0],
    fixed: 0,
    broken: 0,
    cost: { a: null, b: null },
    critical: [],
    cases_needed: null,
  };
}

/** Each model of the gate: paired with its target of the baseline, or with the run that lacks it. */
type Wanted = { pair: TargetPair } | { missing: GateTarget };

/** If each run has a single model, the two are paired regardless of their names, unless the gate names its models. */
function pairModels(models: GateRules['models'], a: readonly string[], b: readonly string[]): Wanted[] {
  if (models === null && a.length === 1 && b.length === 1) return [{ pair: { a: a[0]!, b: b[0]! } }];
  return (models ?? a).map((name) => {
    if (a.includes(name) && b.includes(name)) return { pair: { a: name, b: name } };
    const [side, inBaseline] = b.includes(name) ? ['baseline', null] : ['run', a.includes(name) ? name : null];
    return { missing: unmeasuredTarget(name, inBaseline, 'not_in_run', NOT_MEASURED.lacking(side!, name)) };
  });
}

interface Reading extends Read {
  baseline: ComparableRun;
  lastLook: number;
}

async function measureSides(runs: ComparableRunRepository, reading: Reading): Promise<Measured> {
  const { gate, run, baseline } = reading;
  const { rules } = gate;
  const wanted = pairModels(rules.models, namesOf(baseline), namesOf(run));
  const { summed, broken, comparison, unguarded } = await readPairs(runs, reading, pairsOf(wanted));
  const decided = decideAll(summed, rules, wanted.length);
  const measured = decided.values();
  const targets = wanted.map((one) => ('pair' in one ? measured.next().value!.target : one.missing));
  const result = decideGate(targets.map((target) => target.result));
  return {
    answer: {
      ...headOfAnswer(gate, sidesOf(reading)),
      result,
      text: sentenceOnGate(result, targets),
      targets,
      cases: comparison?.cases ?? null,
      what_changed: comparison?.what_changed ?? [],
      ...noted([
        ...(comparison?.note_details ?? []),
        ...notesOnGate({ rules, targets, unguarded, models: namesOf(run) }),
      ]),
    },
    samples: samplesOf(targets),
    unconfirmed: unconfirmedOf(decided, broken),
    canDecide: result === 'inconclusive' && canDecide(decided),
  };
}

const pairsOf = (wanted: readonly Wanted[]): TargetPair[] => wanted.flatMap((one) => ('pair' in one ? [one.pair] : []));

interface ReadPairs {
  /** One per pair of targets. */
  summed: SummedPair[];
  broken: BrokenCase[][];
  /** Null when there is no pair. */
  comparison: Comparison | null;
  unguarded: UnguardedCases;
}

/** Reads the case results of each pair of targets and summarises them, one pair after another. */
async function readPairs(
  runs: ComparableRunRepository,
  { gate: { rules }, run, baseline, lastLook }: Reading,
  pairs: readonly TargetPair[],
): Promise<ReadPairs> {
  const tagged = rules.critical_tags.length > 0 ? await runs.readTagged(run, rules.critical_tags) : [];
  const critical = new Map(tagged.map((one) => [one.position, one]));
  const found: ReadPairs = {
    summed: [],
    broken: [],
    comparison: null,
    unguarded: { critical: tagged.length, lost: 0 },
  };
  if (pairs.length === 0) return found;
  const onPair = async ({ common, sides, ...measured }: MeasuredPair): Promise<void> => {
    const guarded = common.filter(({ b }) => critical.has(b));
    found.unguarded.lost = tagged.length - guarded.length;
    const passes = {
      a: await readPasses(
        runs,
        sides.a,
        measured.pair.a,
        guarded.map(({ a }) => a),
      ),
      b: await readPasses(runs, sides.b, measured.pair.b),
    };
    const broken = findBroken(critical, guarded, passes);
    found.broken.push(broken);
    const byMetric = new Map<string, MeasuredCase[]>();
    for (const name of Object.keys(rules.floor?.metrics ?? {}))
      byMetric.set(name, await readMeasured(runs, sides.b, measured.pair.b, name));
    const read = { ...measured, byMetric, passes: passes.b, critical: await nameBroken(runs, run, broken) };
    found.summed.push(sumUp(read, levelOf(rules), lastLook));
  };
  const request = {
    a: baseline.id,
    b: run.id,
    extended: true,
    measure: rules.measure,
    margin: rules.margin,
    pairs: pairs.map(({ a, b }) => `${a}~${b}`),
    maxErroredShare: rules.max_errored_share,
    partial: false,
  };
  const { comparison } = await compareIn(runs, request, onPair);
  return { ...found, comparison };
}

const levelOf = ({ margin, floor, max_errored_share, looks }: GateRules): GateLevel => ({
  margin,
  floor,
  max_errored_share,
  alpha: alphaOfLook(looks),
});

/**
 * Pass or fail of each case, whatever the gate's measure is.
 * @param positions undefined: of all cases
 */
async function readPasses(
  runs: ComparableRunRepository,
  run: ComparableRun,
  name: string,
  positions?: readonly number[],
): Promise<MeasuredCase[]> {
  return positions?.length === 0 ? [] : readMeasured(runs, run, name, 'passed', positions);
}

function readMeasured(
  runs: ComparableRunRepository,
  run: ComparableRun,
  name: string,
  measure: string,
  positions?: readonly number[],
): Promise<MeasuredCase[]> {
  const target = run.targets.find((one) => one.name === name)!;
  return runs.measure(run, target, { positions, measure, tools: [] });
}

function decideAll(summed: readonly SummedPair[], rules: GateRules, models: number): DecidedTarget[] {
  const family = summed.flatMap(({ figures: { p } }) => p ?? []);
  const corrected = holm(family).values();
  const shared = {
    level: levelOf(rules),
    measure: rules.measure,
    family: family.length,
    amongOthers: models > 1,
  };
  return summed.map((one) => {
    const pHolm = one.figures.p === null ? null : corrected.next().value!;
    return decidePair(one, { ...shared, pHolm });
  });
}

function samplesOf(targets: readonly GateTarget[]): [number, number] {
  const measured = targets.filter((target) => target.n_cases > 0);
  const mean = (side: 0 | 1): number =>
    measured.reduce((sum, { samples }) => sum + samples[side], 0) / Math.max(1, measured.length);
  return [mean(0), mean(1)];
}

/** Each case once, with the samples of the target that has the fewest. */
function unconfirmedOf(
  decided: readonly DecidedTarget[],
  broken: readonly BrokenCase[][],
): MeasuredGate['unconfirmed'] {
  const cases = new Map<number, MeasuredGate['unconfirmed'][number]>();
  for (const [index, { target }] of decided.entries()) {
    if (target.reason !== 'critical_unconfirmed') continue;
    for (const { a, b, samples } of broken[index]!) {
      const [inA, inB] = cases.get(b)?.samples ?? samples;
      cases.set(b, { a, b, samples: [Math.min(inA, samples[0]), Math.min(inB, samples[1])] });
    }
  }
  return [...cases.values()].sort((one, other) => one.b - other.b);
}

/** One target that can fail is enough; a pass requires every undecided target to be able to pass. */
function canDecide(decided: readonly DecidedTarget[]): boolean {
  const open = decided.filter(({ target }) => target.result === 'inconclusive');
  return open.some(({ prospect }) => prospect.canFail) || open.every(({ prospect }) => prospect.canPass);
}
