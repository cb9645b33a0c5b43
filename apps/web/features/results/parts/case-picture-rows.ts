import type { CaseVerdict, CaseVerdicts } from '#lib/contracts/case-result';
import { naturalOrder } from '../../../ui/natural-order';

export type PictureRun = Omit<CaseVerdicts['runs'][number], 'verdicts'>;

/** A model, with its verdict in each run, the oldest run first; undefined where it was not asked. */
export interface PictureRow {
  target: string;
  cells: (CaseVerdict | undefined)[];
}

export interface CaseGrid {
  /** The oldest first. */
  runs: PictureRun[];
  rows: PictureRow[];
  /** Whether runs between the first one and the second are left out. */
  hasGap: boolean;
}

/** The model and the run of an opened result. */
export interface Here {
  runId: string;
  target: string;
}

/**
 * The verdicts on a case as a grid: the model of the opened result first, then those of its run, then all others, each
 * in the order of their names.
 */
export function caseGrid({ runs: newestFirst, left_out: leftOut }: CaseVerdicts, here: Here | undefined): CaseGrid {
  const runs = newestFirst.toReversed();
  const byTarget = runs.map(({ verdicts }) => new Map(verdicts.map((one) => [one.target, one])));
  const place = runs.findIndex(({ id }) => id === here?.runId);
  const rank = (target: string): number => (target === here?.target ? 0 : byTarget[place]?.has(target) ? 1 : 2);
  const targets = [...new Set(byTarget.flatMap((verdicts) => [...verdicts.keys()]))];
  return {
    runs: runs.map(({ verdicts: _verdicts, ...run }) => run),
    rows: targets
      .toSorted((one, other) => rank(one) - rank(other) || naturalOrder(one, other))
      .map((target) => ({ target, cells: byTarget.map((verdicts) => verdicts.get(target)) })),
    // The run that was asked for is older than the newest ones, and replaces the last of them.
    hasGap: leftOut > 0 && place === 0 && runs.length > 1,
  };
}

/** "passed in 3 of 20 runs": runs in which all of its samples passed, of those that scored some. */
export function passedWords({ cells }: PictureRow): string {
  const scored = cells.filter((cell) => cell !== undefined && cell.scored > 0) as CaseVerdict[];
  const passed = scored.filter(({ passed: n, scored: of }) => n === of).length;
  if (scored.length === 0) return 'was not scored in any run';
  if (scored.length === 1) return passed === 1 ? 'passed in the only run' : 'did not pass in the only run';
  return `passed in ${passed === scored.length ? 'all' : `${passed} of`} ${scored.length} runs`;
}
