import type { CaseOutcome } from '#lib/contracts/comparison';
import type { GateAnswer, GateResult, GateTarget } from '#lib/gate/contract';
import { casesText, changeTexts, MAX_NAME, pairName, type BrokenCase, type ShownCase } from './comparison-texts.js';
import { beginning, difference, dollars, percent } from './table.js';

/*
 * What a terminal, a pull request and a CI server show of a gate. The texts hold names, prompts and calls as servers
 * and models wrote them: whoever prints them escapes them. Results are the server's own sentences.
 */

/** A case of one model in a gate. */
export interface GateCase extends ShownCase {
  target: string;
  state: CaseOutcome | 'errored';
  /** How many samples passed in the run. */
  samples: string;
}

export interface GateReport {
  answer: GateAnswer;
  /** The first broken cases. */
  broken: GateCase[];
  /** The run at the server; undefined when there is none. */
  link: string | undefined;
}

export const RESULT_WORDS: Record<GateResult, string> = {
  pass: 'passed',
  fail: 'failed',
  inconclusive: 'inconclusive',
  not_measured: 'not measured',
};

export const headline = ({ gate, result }: GateAnswer): string =>
  `Gate ${beginning(gate.name, MAX_NAME)} v${gate.version}: ${RESULT_WORDS[result]}.`;

/** A heading and a row for each model. */
export function gateTable({ targets, look }: GateAnswer): string[][] {
  const level = `${Number(((1 - look.alpha) * 100).toFixed(2))} %`;
  return [
    ['model', 'result', 'baseline', 'now', `difference (${level})`, 'fixed', 'broken', 'errored', 'cost'],
    ...targets.map((target) => [
      pairName(target.baseline_target ?? target.target, target.target),
      RESULT_WORDS[target.result],
      percent(target.mean_a),
      percent(target.mean_b),
      difference(target.difference, target.ci),
      String(target.fixed),
      String(target.broken),
      target.errored_shares.map(percent).join(' -> '),
      `${dollars(target.cost.a)} -> ${dollars(target.cost.b)}`,
    ]),
  ];
}

/** What is said of each model, unless it is what is said of the gate. */
export const targetTexts = ({ targets, text }: GateAnswer): string[] =>
  targets
    .filter((target) => target.text !== text)
    .map((target) => `${beginning(target.target, MAX_NAME)}: ${detailText(target)}`);

const detailText = ({ text, cases_needed: cases }: GateTarget): string =>
  cases === null ? text : `${text} More samples cannot decide; about ${cases} more cases could.`;

/** Facts under a heading each, in the order of reading. */
export function gateFacts({ answer, link }: GateReport): [name: string, text: string][] {
  const { eval_id: runId, baseline_eval_id: baseline, gate, look, cases, notes } = answer;
  return [
    ['Baseline', baseline ?? 'none'],
    ['Run', runId === null ? 'none' : `${runId}${link === undefined ? '' : ` (${link})`}`],
    ...(cases ? ([['Cases', casesText({ ...cases }, gate.measure)]] as [string, string][]) : []),
    ['Margin', `${Number((gate.margin * 100).toFixed(4))} points, fixed with the gate`],
    ['Looks', looksText(look)],
    ...changeTexts(answer).map((change): [string, string] => ['Changed', change]),
    ...notes.map((note): [string, string] => ['Note', note]),
  ];
}

function looksText({ number, planned, final }: GateAnswer['look']): string {
  if (number === 0) return `none of ${planned} used`;
  return `${number} of ${planned} used${final ? '; the answer stands from now on' : ''}`;
}

export const brokenOf = ({ answer, broken }: GateReport): BrokenCase[] =>
  broken.map((one) => ({
    ...one,
    target: answer.targets.length > 1 ? beginning(one.target, MAX_NAME) : undefined,
  }));

export const brokenCount = ({ targets }: GateAnswer): number => targets.reduce((sum, { broken }) => sum + broken, 0);
