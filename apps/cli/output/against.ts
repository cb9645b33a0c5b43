import type { RunAgainst } from '#lib/contracts/run';
import type { ModelChange } from '#lib/contracts/comparison';
import { difference, percent, signedPoints } from './table.js';

const modelOf = (target: string): string => target.split('::').slice(1).join('::') || target;

/** What a run changed, for a column: "-9 points, regressed; b -23 points". */
export function againstText(against: RunAgainst | null): string {
  if (!against) return '-';
  const { verdict, difference: by, ci, worst, regressed } = against;
  const model =
    regressed > 0 && worst ? [`${modelOf(worst.target)} ${signedPoints(worst.difference!, worst.ci!)}`] : [];
  const all = by === null ? verdict : `${signedPoints(by, ci ?? undefined)}, ${verdict}`;
  return [all, ...model].join('; ');
}

/** "prompt-sensitive: 77.0 % to 53.0 %, -24 points (-33 to -13), regressed" */
export const worstText = ({ target, from, to, difference: by, ci, verdict }: ModelChange): string =>
  `${modelOf(target)}: ${percent(from)} to ${percent(to)}, ${difference(by, ci)}, ${verdict}`;

/** What a run changed against the run before it, in the server's words, with its worst model. */
export function previousLines(against: RunAgainst | null): string[] {
  if (against?.kind !== 'previous') return [];
  const { run, text, worst, regressed } = against;
  return [
    `Against the run before (${run.name ?? run.id}): ${text}`,
    ...(regressed > 0 && worst ? [`Worst model: ${worstText(worst)}`] : []),
    '',
  ];
}
