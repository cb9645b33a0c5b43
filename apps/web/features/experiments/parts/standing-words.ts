import type { Experiment, ExperimentSince } from '#lib/contracts/experiment';
import type { ChipKind } from '../../../ui/chip';
import { count, percent } from '../../../ui/amounts.js';
import { modelOf } from '#lib/contracts/target-name';
import type { TrendChange } from '#lib/contracts/trend';

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

/** "prompt-sensitive and 2 more": the models that got worse; undefined where none is shown to be. */
export function worseModels({ worst, regressed }: ExperimentSince): string | undefined {
  if (!worst || regressed === 0) return undefined;
  return `${modelOf(worst.target)}${regressed > 1 ? ` and ${count(regressed - 1)} more` : ''}`;
}

/** "77.0 % to 53.0 %." of the model that got worse most. */
export function worstWords({ worst, regressed }: ExperimentSince): string | undefined {
  if (!worst || regressed === 0 || worst.from === null || worst.to === null) return undefined;
  return `${regressed > 1 ? `${modelOf(worst.target)}: ` : ''}${percent(worst.from)} to ${percent(worst.to)}.`;
}

export type Fall = NonNullable<TrendChange['shift']> & { target: string };

/**
 * The model whose level fell most since the baseline, where no comparison of the last runs shows anything: the mean of
 * several models may hide it, and a run alone may be too small to show it.
 */
export function fallOfModel(
  { since, measure, margin, baseline_eval_id: baseline }: Experiment,
  models: readonly TrendChange[],
): Fall | undefined {
  if (since?.state === 'worse' || since?.state === 'better' || measure !== 'overall' || baseline === null)
    return undefined;
  return models
    .flatMap(({ target, shift }) => (shift ? [{ target, ...shift }] : []))
    .filter(({ run_id: id, from, to }) => from - to > margin && isAfter(id, baseline))
    .toSorted((a, b) => a.to - a.from - (b.to - b.from))[0];
}

/** Ids of runs grow with time. */
const isAfter = (id: string, other: string): boolean => id > other;

export const changedWords = ({ changed }: ExperimentSince): string =>
  changed.length === 0 ? 'Nothing in the settings changed.' : `Changed: ${changed.join(', ')}.`;
