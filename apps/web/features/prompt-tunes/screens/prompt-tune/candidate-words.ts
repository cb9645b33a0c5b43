import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { percent } from '../../../../ui/score.js';

/** "the base", "reflection on 3", "merge of 3 and 5" */
export function kindInWords({ kind, parents }: Pick<PromptCandidate, 'kind' | 'parents'>): string {
  if (kind === 'base') return 'the base';
  if (parents.length === 0) return kind;
  return `${kind} ${kind === 'reflection' ? 'on' : 'of'} ${parents.join(' and ')}`;
}

/** "71.2 %", "62.5 % on a few cases, its parent 50.0 %"; undefined until something is measured. */
export function scoreInWords({ scores }: Pick<PromptCandidate, 'scores'>): string | undefined {
  const { select, holdout, minibatch, parent } = scores;
  if (select !== null) return `${percent(select)}${holdout === null ? '' : `, held out ${percent(holdout)}`}`;
  if (minibatch === null) return undefined;
  return `${percent(minibatch)} on a few cases${parent === null ? '' : `, its parent ${percent(parent)}`}`;
}

const RANK: readonly PromptCandidate['state'][] = ['best', 'finalist', 'front'];

/** Sorts leading candidates, best first. */
export const byMerit = (one: PromptCandidate, other: PromptCandidate): number =>
  Number(other.state === 'best') - Number(one.state === 'best') ||
  (other.scores.select ?? -1) - (one.scores.select ?? -1) ||
  RANK.indexOf(one.state) - RANK.indexOf(other.state) ||
  one.candidate - other.candidate;
