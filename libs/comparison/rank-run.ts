import { setImmediate } from 'node:timers/promises';
import { DEFAULT_MARGIN, DEFAULT_MAX_ERRORED_SHARE, MIN_COMMON_CASES, type Estimate } from '#lib/contracts/comparison';
import type { Ranking } from '#lib/contracts/ranking';
import type { CaseScores } from '#lib/db/read/case-scores';
import { ComparableRunRepository, type ComparableRun, type RunState } from '#lib/db/read/comparable-runs';
import type { Pool } from '#lib/db/connection/pool';
import { estimateDifference } from './estimate.js';
import type { CaseMeasurement, PairedCase } from './measurements.js';
import { comparePairs, ranksOf, type PairDifference, type RankedTarget } from './rank-targets.js';

/** The models with the highest means that are compared; with more, all ranks are open. */
const MAX_RANKED = 50;

/** A ranking, and the state of the run that it is of. */
export interface RankedRun {
  ranking: Ranking;
  state: Pick<RunState, 'generation' | 'status'>;
}

interface MeasuredTarget extends RankedTarget {
  target: string;
  cases: CaseScores[];
  mean: number | null;
}

/**
 * Ranks the models of a run over its cases. It reads them in one snapshot, one model after another.
 * @throws ProblemError 404
 */
export const rankRun = (pool: Pool, teamId: string, runId: string, signal: AbortSignal): Promise<RankedRun> =>
  ComparableRunRepository.inSnapshot(pool, teamId, async (runs) => {
    const run = await runs.read(runId);
    const targets: MeasuredTarget[] = [];
    for (const target of run.targets) {
      signal.throwIfAborted();
      targets.push(measured(run, target.name, await runs.score(run, target)));
    }
    targets.sort((a, b) => (b.mean ?? -1) - (a.mean ?? -1));
    return { ranking: await rank(targets, signal), state: { generation: run.generation, status: run.status } };
  });

function measured(run: ComparableRun, target: string, cases: CaseScores[]): MeasuredTarget {
  const scores = new Float64Array(Math.max(run.caseCount, (run.positions.at(-1) ?? -1) + 1)).fill(NaN);
  let [sum, scored, errored] = [0, 0, 0];
  for (const one of cases) {
    if (one.mean !== null) scores[one.position] = one.mean;
    sum += (one.mean ?? 0) * one.scored;
    scored += one.scored;
    errored += one.errored;
  }
  const erroredShare = errored === 0 ? 0 : errored / (scored + errored);
  return { target, cases, scores, erroredShare, mean: scored === 0 ? null : sum / scored };
}

async function rank(targets: readonly MeasuredTarget[], signal: AbortSignal): Promise<Ranking> {
  const compared = targets.slice(0, MAX_RANKED);
  const pairs: PairDifference[] = [];
  for (const pair of comparePairs(compared)) {
    pairs.push(pair);
    await setImmediate(undefined, { signal });
  }
  const { ranks, corrected } = ranksOf(compared, pairs, DEFAULT_MAX_ERRORED_SHARE);
  const left = targets.length - compared.length;
  const [best, next] = compared;
  return {
    // The first pair is that of the two highest means.
    text: best && next ? sentenceOn(best, next, { p: corrected[0]!, pairs: pairs.length }) : null,
    items: targets.map(({ target }, index) => {
      const [from, to] = ranks[index] ?? [1, compared.length];
      return { target, rank: [from, to + left] };
    }),
  };
}

/** The sentence of a comparison: the best model against the one behind it. */
function sentenceOn(best: MeasuredTarget, next: MeasuredTarget, { p, pairs }: { p: number; pairs: number }): string {
  const estimate = estimateDifference(pairCases(next, best), {
    measure: 'overall',
    margin: DEFAULT_MARGIN,
    maxErroredShare: DEFAULT_MAX_ERRORED_SHARE,
    holm: { p, targets: pairs, family: 'pairs of models' },
    subject: { pairs: [{ a: next.target, b: best.target }], amongOthers: false },
  });
  return estimate.verdict === 'not_comparable' ? tooFew(estimate) : estimate.text!;
}

const tooFew = ({ n_cases: n }: Estimate): string =>
  `Too few cases to tell the models apart: ${n === 1 ? '1 has' : `${n || 'none'} have`} a score of both of the best ` +
  `two, and a verdict needs ${MIN_COMMON_CASES}.`;

/** The cases that both have results of, side by side. */
function pairCases(a: MeasuredTarget, b: MeasuredTarget): PairedCase[] {
  const ofA = new Map(a.cases.map((one) => [one.position, one]));
  return b.cases.flatMap((one) => {
    const other = ofA.get(one.position);
    return other ? [{ index: one.position, ...NOT_GROUPED, a: sideOf(other), b: sideOf(one) }] : [];
  });
}

const NOT_GROUPED = { category: null, tool: '', cluster: null };
const sideOf = ({ position: _position, ...measurement }: CaseScores): CaseMeasurement => measurement;
