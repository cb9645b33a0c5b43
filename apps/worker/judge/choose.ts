import { note, type Note } from '#lib/contracts/note';
import { findCommonCases } from '#lib/comparison/common-cases';
import { readSides } from '#lib/comparison/compare-runs';
import { pairTargets } from '#lib/comparison/pair-targets';
import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import { MAX_JUDGED } from '#lib/judge/contract';
import { ComparableRunRepository } from '#lib/db/read/comparable-runs';
import { chooseResults, choosePairs, type ChosenResult } from '#lib/judge/rows/for-workers/judged-results';
import { hashSample } from '#lib/judge/hash-sample';
import type { ReportContext } from './report-context.js';

/** The maximum number of results chosen in one step. */
const MAX_CHOSEN = 5_000;

export interface Choice {
  chosen: ChosenResult[];
  /** Whether there may be more. */
  choosing: boolean;
  seenSeq: number;
  note?: Note;
}

/**
 * The next results to judge; for an unfinished run, those settled since the last choice.
 * @param before how many were chosen already
 */
export async function choose(here: ReportContext, before: number): Promise<Choice> {
  if (here.baseline) return choosePaired(here);
  const { pool, orchestration, watched, report } = here;
  const { which, below, sample_size: sampleSize, seed } = report.asked;
  const isDone = isFinished(watched.status as JobStatus);
  const limit = Math.min(which === 'sample' ? MAX_JUDGED : MAX_CHOSEN, MAX_JUDGED - before);
  const chosen = await chooseResults(
    pool,
    { reportId: orchestration.id, runId: watched.runId },
    { which, below, sampleSize, seed, afterSeq: isDone ? 0 : watched.seenSeq, limit },
  );
  const isFull = before + chosen.length >= MAX_JUDGED;
  const isWhole = which === 'sample' || isFull || (isDone && chosen.length < limit);
  return {
    chosen,
    choosing: !isWhole,
    // Results settled in the meantime may have a lower number than this: the last choice scans all of them.
    seenSeq: watched.lastSeq,
    ...(isFull &&
      which !== 'sample' && {
        note: note('judgements_limit', `The first ${MAX_JUDGED} results are judged: that is the maximum.`, {
          judged: MAX_JUDGED,
        }),
      }),
  };
}

/** Every common case of two runs, or a random sample of the requested size. */
async function choosePaired({ pool, orchestration, watched, report, run, baseline }: ReportContext): Promise<Choice> {
  const { which, sample_size: sampleSize, seed } = report.asked;
  const chosen = await ComparableRunRepository.inSnapshot(pool, orchestration.teamId, async (runs) => {
    const sides = { a: watched.baselineId!, b: watched.runId };
    const [a, b] = await readSides(runs, { ...sides, measure: 'overall' });
    const { pairs } = pairTargets(
      a.targets.map(({ name }) => name),
      b.targets.map(({ name }) => name),
    );
    if (pairs.length === 0)
      throw new ProblemError(
        422,
        'The runs have no model in common, and more than one model each, so there is no pair to compare.',
      );
    const { common } = await findCommonCases(runs, a, b);
    const found: ChosenResult[] = [];
    for (const pair of pairs) {
      const ordinal = (side: typeof a, name: string): number =>
        side.targets.find((target) => target.name === name)!.ordinal;
      found.push(
        ...(await choosePairs(
          runs.db,
          { runId: baseline!.id, target: ordinal(a, pair.a) },
          { runId: run.id, target: ordinal(b, pair.b) },
          common,
        )),
      );
    }
    return found;
  });
  if (chosen.length === 0)
    throw new ProblemError(
      422,
      'The runs have no case in common with a score on both sides, so nothing can be compared.',
    );
  const most = which === 'sample' ? Math.min(sampleSize, MAX_JUDGED) : MAX_JUDGED;
  const drawn = hashSample(chosen, most, (one) => `${seed}.${one.target}.${one.casePosition}`);
  const isCut = which !== 'sample' && drawn.length < chosen.length;
  return {
    chosen: drawn,
    choosing: false,
    seenSeq: 0,
    ...(isCut && {
      note: note('judgements_limit', `${MAX_JUDGED} of ${chosen.length} cases were drawn: that is the maximum.`, {
        judged: MAX_JUDGED,
      }),
    }),
  };
}
