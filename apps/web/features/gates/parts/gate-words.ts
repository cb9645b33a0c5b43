import type { Gate, GateAnswer } from '#lib/gate/contract';
import { count, percent } from '../../../ui/amounts.js';

/** "2 points", "0.5 points": a share in percentage points. */
export const pointsText = (share: number): string => {
  const points = Number((share * 100).toFixed(4));
  return `${points} ${points === 1 ? 'point' : 'points'}`;
};

/** The rules of a gate in words, each with its name. */
export function ruleWords(gate: Omit<Gate, 'baseline'>): [name: string, words: string][] {
  const { measure, margin, floor, models, critical_tags: tags, max_errored_share: errored, looks } = gate;
  return [
    ['Passes', `when ${measure} is shown not to be worse by ${pointsText(margin)}`],
    ['Models', models?.join(', ') ?? 'same as the baseline'],
    ...(floor ? ([['Floor', `${percent(floor.pass_rate)} of the samples must pass`]] as [string, string][]) : []),
    ...(tags.length > 0
      ? ([['Critical', `cases tagged ${tags.join(', ')} must not break`]] as [string, string][])
      : []),
    ['Errors', `with more than ${percent(errored)} errored, nothing is measured`],
    ['Looks', looksWords(gate, looks)],
  ];
}

function looksWords({ max_requests: most }: Pick<Gate, 'max_requests'>, looks: number): string {
  const times = looks === 1 ? 'one look at the data' : `up to ${looks} looks, each with twice the samples of the last`;
  return most === null ? times : `${times}; at most ${count(most)} requests`;
}

/** How many of the planned looks are used. */
export function lookWords({ number, planned, final }: GateAnswer['look']): string {
  if (number === 0) return `none of ${planned} looks used`;
  return `${number} of ${planned} looks used${final ? '; the answer is final' : ''}`;
}

/** "97.5 %": the confidence level of a look's intervals. */
export const levelText = ({ alpha }: GateAnswer['look']): string => `${Number(((1 - alpha) * 100).toFixed(2))} %`;
