import type { Gate, GateAnswer, GateResult } from '#lib/gate/contract';
import type { GateSensitivity } from '#lib/contracts/gate-outlook';
import { count, percent } from '../../../ui/amounts.js';

/** "2 points", "0.5 points": a share in percentage points. */
export const pointsText = (share: number): string => {
  const points = Number((share * 100).toFixed(4));
  return `${points} ${points === 1 ? 'point' : 'points'}`;
};

/** The rules of a gate in words, each with its name. */
export function ruleWords(gate: Omit<Gate, 'baseline'>): [name: string, words: string][] {
  const { measure, margin, floor, models, critical_tags: tags, max_errored_share: errored, looks } = gate;
  const given = (name: string, words: string | false): [string, string][] => (words === false ? [] : [[name, words]]);
  return [
    ['Margin', `${pointsText(margin)} of ${measure}`],
    ...given('Models', models !== null && models.join(', ')),
    ...given('Floor', floor !== null && floorWords(floor)),
    ...given('Critical', tags.length > 0 && `cases tagged ${tags.join(', ')}`),
    ['Errored', `up to ${percent(errored)}`],
    ['Looks', looksWords(gate, looks)],
  ];
}

const floorWords = ({ pass_rate: rate, metrics = {} }: NonNullable<Gate['floor']>): string =>
  [
    ...(rate === undefined ? [] : [`${percent(rate)} of the samples pass`]),
    ...Object.entries(metrics).map(([name, least]) => `${name} is at least ${percent(least)} on average`),
  ].join(', ');

const looksWords = ({ max_requests: most }: Pick<Gate, 'max_requests'>, looks: number): string =>
  most === null ? String(looks) : `${looks}, up to ${count(most)} requests`;

/** How many of the planned looks are used. */
export const lookWords = ({ number, planned }: GateAnswer['look']): string => `${number} of ${planned}`;

/** "97.5 %": the confidence level of a look's intervals. */
export const levelText = ({ alpha }: GateAnswer['look']): string => `${Number(((1 - alpha) * 100).toFixed(2))} %`;

/** "about 6 points": a loss that is estimated, not measured. */
const aboutPoints = (share: number): string =>
  `about ${pointsText(share < 0.1 ? Math.round(share * 1000) / 1000 : Math.round(share * 100) / 100)}`;

const casesText = (cases: number): string => `${count(cases)} ${cases === 1 ? 'case' : 'cases'}`;

/** What a gate can show with its cases, in a sentence. */
export const sensitivityWords = ({ cases, smallest_loss: loss }: GateSensitivity): string =>
  cases === 0 ? 'The suite has no cases.' : `With ${casesText(cases)}, a loss of ${aboutPoints(loss)} is shown.`;

/** Why the margin is hard to reach or cannot be; undefined when the cases are enough. */
export function marginWarning(shown: GateSensitivity, margin: number): string | undefined {
  const { can_pass: canPass, cases_needed: needed, smallest_margin: least, cases } = shown;
  if (cases === 0 || (canPass && needed === null)) return undefined;
  const wanted = needed === null ? '' : ` Your margin takes about ${casesText(Number(needed.toPrecision(2)))}.`;
  const margins = pointsText(Math.round(least * 1000) / 1000);
  return canPass
    ? `Few equal runs pass a margin of ${pointsText(margin)}.${wanted}`
    : `An equal run cannot pass: ${casesText(cases)} need a margin above ${margins}.${wanted}`;
}

const RESULTS: Record<GateResult, [one: string, many: string]> = {
  pass: ['passes', 'pass'],
  fail: ['fails', 'fail'],
  inconclusive: ['is undecided', 'are undecided'],
  not_measured: ['was not measured', 'were not measured'],
};

/** The answer in one short sentence: that of the only model, or how many models decided it. */
export function answerWords({ result, text, targets }: Pick<GateAnswer, 'result' | 'text' | 'targets'>): string {
  if (targets.length < 2) return text;
  const deciding = targets.filter((target) => target.result === result).length;
  const [one, many] = RESULTS[result];
  if (deciding === targets.length) return `${deciding === 2 ? 'Both' : `All ${count(deciding)}`} models ${many}.`;
  return `${count(deciding)} of ${count(targets.length)} models ${deciding === 1 ? one : many}.`;
}
