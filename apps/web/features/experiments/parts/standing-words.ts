import type { ExperimentSince } from '#lib/contracts/experiment';
import type { ChipKind } from '../../../ui/chip';
import { count, percent } from '../../../ui/amounts.js';
import { modelOf } from '#lib/contracts/target-name';

export const sinceRunName = ({ run }: Pick<ExperimentSince, 'run'>): string => run.name ?? `run ${run.id.slice(-8)}`;

/** "3 of the last 5" runs, where it is more than one. */
export const howOften = ({ runs, of }: Pick<ExperimentSince, 'runs' | 'of'>): string =>
  of === 1 ? '' : runs === of ? `all of the last ${count(of)}` : `${count(runs)} of the last ${count(of)}`;

/** Where an experiment stands, in a few words for a list: "worse since Nightly 8, 3 of the last 5". */
export function standingWords(since: ExperimentSince): [words: string, kind: ChipKind] {
  const often = howOften(since);
  const from = `since ${sinceRunName(since)}${often && `, ${often}`}`;
  switch (since.state) {
    case 'worse':
      return [`worse ${from}`, 'failed'];
    case 'better':
      return [`better ${from}`, 'passed'];
    case 'as_good':
      return [`as good for ${count(since.runs)} ${since.runs === 1 ? 'run' : 'runs'}`, 'plain'];
    case 'unclear':
      return ['too close to call', 'waiting'];
  }
}

/** "only prompt-sensitive, 77.0 to 53.0 %": the model that got worse; undefined where none is shown to be. */
export function worstWords({ worst, regressed, models }: ExperimentSince): string | undefined {
  if (!worst || regressed === 0 || worst.from === null || worst.to === null) return undefined;
  const others = regressed > 1 ? ` and ${count(regressed - 1)} more` : '';
  const only = regressed === 1 && models > 1 ? 'Only ' : '';
  return `${only}${modelOf(worst.target)}${others}, ${percent(worst.from)} to ${percent(worst.to)}.`;
}

export const changedWords = ({ changed }: ExperimentSince): string =>
  changed.length === 0 ? 'Nothing in the settings changed.' : `Changed: ${changed.join(', ')}.`;
