import { DEFAULT_MARGIN, DEFAULT_MAX_ERRORED_SHARE, MIN_COMMON_CASES } from '#lib/contracts/values/comparison';
import type { Estimate } from '#lib/contracts/comparison';
import type { Ranking } from '#lib/contracts/ranking';
import type { MeasuredCase } from '#lib/db/read/case-measurements';
import type { CaseScores } from '#lib/db/read/case-scores';
import {
  ComparableRunRepository,
  type ComparableRun,
  type ComparableTarget,
  type RunState,
} from '#lib/db/read/comparable-runs';
import type { Pool } from '#lib/db/connection/pool';
import { estimateDifference } from './estimate.js';
import type { PairedCase } from './measurements.js';
import { comparePairs, ranksOf, type RankedTarget } from './rank-targets.js';

/** Only the models with the highest means are compared; with more models, all ranks are undetermined. */
const MAX_RANKED = 50;

/** A ranking, and the state of the run. */
export interface RankedRun {
  ranking: Ranking;
  state: Pick<RunState, 'generation' | 'status'>;
}

interface MeasuredTarget extends RankedTarget {
  target: ComparableTarget;
  mean: number | null;
  /** It has all of its results. */
  isWhole: boolean;
}

/**
 * Ranks the models of a run over its cases. It reads them in one snapshot, one model after another.
 * @throws ProblemError 404
 */
export const rankRun = (pool: Pool, teamId: string, runId: string): Promise<RankedRun> =>
  ComparableRunRepository.inSnapshot(pool, teamId, async (runs) => {
    const run = await runs.read(runId);
    const targets: MeasuredTarget[] = [];
    for (const target of run.targets) targets.push(measured(run, target, await runs.score(run, target)));
    targets.sort((a, b) => (b.mean ?? -1) - (a.mean ?? -1));
    const [whole, partial] = [targets.filter((one) => one.isWhole), targets.filter((one) => !one.isWhole)];
    const { items: ranked, best } = rank(whole);
    const items = [...ranked, ...partial.map(({ target }) => ({ target: target.name, rank: null }))];
    const text = best && (await sentenceOn(runs, run, best));
    return { ranking: { text, items }, state: { generation: run.generation, status: run.status } };
  });

function measured(run: ComparableRun, target: ComparableTarget, read: CaseScores): MeasuredTarget {
  const scores = new Float64Array(Math.max(run.caseCount, (run.positions.at(-1) ?? -1) + 1)).fill(NaN);
  const positions = read.positions?.split(' ') ?? [];
  const means = read.means?.split(' ') ?? [];
  positions.forEach((position, index) => (scores[Number(position)] = Number(means[index])));
  const { mean, scored, errored } = read;
  const isWhole = run.status === 'completed' || scored + errored >= run.caseCount * run.samples;
  return { target, scores, erroredShare: errored === 0 ? 0 : errored / (scored + errored), mean, isWhole };
}

/** The two models with the highest means, and the p value of their difference, corrected for the number of pairs. */
interface BestPair {
  best: ComparableTarget;
  next: ComparableTarget;
  p: number;
  pairs: number;
}

function rank(targets: readonly MeasuredTarget[]): Pick<Ranking, 'items'> & { best: BestPair | null } {
  const compared = targets.slice(0, MAX_RANKED);
  const pairs = [...comparePairs(compared)];
  const { ranks, corrected } = ranksOf(compared, pairs, DEFAULT_MAX_ERRORED_SHARE);
  const left = targets.length - compared.length;
  const items = targets.map(({ target }, index): Ranking['items'][number] => {
    const [from, to] = ranks[index] ?? [1, compared.length];
    return { target: target.name, rank: [from, to + left] };
  });
  const [best, next] = compared;
  if (!best || !next) return { items, best: null };
  // The first pair is that of the two highest means.
  return { items, best: { best: best.target, next: next.target, p: corrected[0]!, pairs: pairs.length } };
}

/** The comparison sentence for the best model against the next one. */
async function sentenceOn(
  runs: ComparableRunRepository,
  run: ComparableRun,
  { best, next, p, pairs }: BestPair,
): Promise<string> {
  const measure = (target: ComparableTarget): Promise<MeasuredCase[]> =>
    runs.measure(run, target, { measure: 'overall', tools: [] });
  const estimate = estimateDifference(pairCases(await measure(next), await measure(best)), {
    measure: 'overall',
    margin: DEFAULT_MARGIN,
    maxErroredShare: DEFAULT_MAX_ERRORED_SHARE,
    holm: { p, targets: pairs, family: 'pairs of models' },
    subject: { pairs: [{ a: next.name, b: best.name }], amongOthers: false },
  });
  return estimate.verdict === 'not_comparable' ? tooFew(estimate) : estimate.text!;
}

const tooFew = ({ n_cases: n }: Estimate): string =>
  `Too few cases to tell the models apart: ${n === 1 ? '1 has' : `${n || 'none'} have`} a score of both of the best ` +
  `two, and a verdict needs ${MIN_COMMON_CASES}.`;

/** The cases with results of both models, as pairs. */
function pairCases(a: readonly MeasuredCase[], b: readonly MeasuredCase[]): PairedCase[] {
  const ofA = new Map(a.map((one) => [one.position, one]));
  return b.flatMap((one) => {
    const other = ofA.get(one.position);
    return other ? [{ index: one.position, ...NOT_GROUPED, a: other, b: one }] : [];
  });
}

const NOT_GROUPED = { category: null, tool: '', cluster: null };
