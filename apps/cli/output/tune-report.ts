import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import type { TuneOutcome } from '#lib/tuning/contract';
import { points } from '#lib/comparison/points';
import { spaceText, configText } from '../search-space/space-text.js';
import { beginning, dollars, percent } from './table.js';

/*
 * What a terminal and a pull request show of a tune. The texts hold names, values and messages as users, servers and
 * providers wrote them: whoever prints them escapes them. Outcomes are the server's own sentences.
 */

export interface TuneReport {
  tune: ParamTune;
  /** Of all models. */
  arms: readonly TuneArm[];
}
export type TuneTarget = ParamTune['targets'][number];
export type Fact = [name: string, text: string];

const MAX_TEXT = 300;
/** Sentences of the server. */
const MAX_SENTENCE = 1000;
const MAX_CONFIG = 200;
const MAX_LISTED = 10;
const MAX_RUNG = 20;

export const OUTCOME_WORDS: Record<TuneOutcome, string> = {
  confirmed: 'confirmed',
  not_confirmed: 'not confirmed',
  worse: 'worse than the base',
  unconfirmed: 'unconfirmed',
  base: 'the base is best',
};

export const STEP_WORDS: Record<string, string> = {
  search: 'Searching',
  holdout: 'Confirming',
  promote: 'Running the winner',
  done: 'Done',
};

const STATES: TuneArm['state'][] = ['recommended', 'finalist', 'running', 'dropped', 'waiting'];

/** The best first: by how far they came, then by what they measured. */
export const rankArms = (arms: readonly TuneArm[]): TuneArm[] =>
  arms.toSorted(
    (a, b) =>
      STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
      (a.state === 'dropped' ? b.cases - a.cases : 0) ||
      (b.mean ?? -1) - (a.mean ?? -1) ||
      a.arm - b.arm,
  );

export const armsOf = ({ arms }: TuneReport, target: string): TuneArm[] => arms.filter((arm) => arm.target === target);

/** An arm that is measured itself, and not by another that makes the same requests. */
export const isDistinct = ({ same_as: other }: TuneArm): boolean => other === null;

export const armConfig = ({ config }: Pick<TuneArm, 'config'>): string => beginning(configText(config), MAX_CONFIG);

export const armName = (arm: TuneArm): string => `${arm.arm} ${armConfig(arm)}`;

/** The mean of the measure with its 95 % interval: "81.2 % (70.1 to 90.3)". */
export function meanText({ mean, ci }: Pick<TuneArm, 'mean' | 'ci'>): string {
  if (mean === null || !ci) return percent(mean);
  return `${percent(mean)} (${ci.map((limit) => (100 * limit).toFixed(1)).join(' to ')})`;
}

export const milliseconds = (value: number | null): string => (value === null ? '-' : `${Math.round(value)} ms`);

export const ARM_HEADING = ['arm', 'configuration', 'state', 'rung', 'cases', 'mean (95 %)', 'cost', 'p50'];

/** A row of the table of arms that a terminal shows while they are measured. */
export const armRow = (arm: TuneArm): string[] => [
  arm.arm === 0 ? '0 base' : String(arm.arm),
  armConfig(arm),
  arm.state,
  beginning(arm.rung ?? '-', MAX_RUNG),
  String(arm.cases),
  meanText(arm),
  dollars(arm.cost_usd),
  milliseconds(arm.latency_p50_ms),
];

/** What was asked for, under a heading each, in the order of reading. */
export function tuneFacts({ suite_name: suite, suite_version: version, input, ...tune }: ParamTune): Fact[] {
  const { search_space: space, per_model_search_spaces: own, base } = input;
  const { temperature, tool_choice, max_tokens, params } = base;
  const how = input.mode === 'random' ? `random, ${input.trials} combinations a model` : input.mode;
  const samples = `${input.samples} ${input.samples === 1 ? 'sample' : 'samples'} a case`;
  const held = tune.cases.holdout === 0 ? 'none held out' : `${tune.cases.holdout} held out to confirm`;
  return [
    ['Suite', `${beginning(suite, MAX_TEXT)} v${version}`],
    ...(Object.keys(space).length ? [fact('Searched', spaceText(space as JsonObject))] : []),
    ...Object.entries(own).map(([model, one]) => fact('Searched', `${model}: ${spaceText(one as JsonObject)}`)),
    [
      'Base',
      beginning(
        configText({ temperature, tool_choice, ...(max_tokens != null && { max_tokens }), ...params }),
        MAX_TEXT,
      ),
    ],
    ['How', `${how}, seed ${input.seed}, by ${input.measure}, margin ${points(input.margin)}, ${samples}`],
    ['Cases', `${tune.cases.tuning} to choose by, ${held}`],
    ['Requests', `${tune.planned_requests} planned`],
    ...tune.notes.map((note) => said('Note', note)),
  ];
}

export const fact = (name: string, text: string): Fact => [name, beginning(text, MAX_TEXT)];
export const said = (name: string, text: string): Fact => [name, beginning(text, MAX_SENTENCE)];

/** What was found for a model. */
export function targetFacts(report: TuneReport, target: TuneTarget): Fact[] {
  const { recommended, holdout } = target;
  const arms = armsOf(report, target.target);
  const tied = arms.filter(({ arm }) => target.tied.includes(arm) && arm !== recommended?.arm);
  const errored = arms.filter((arm) => arm.errored > 0);
  return [
    ['Recommended', recommended ? `arm ${armName(recommended)}` : 'nothing yet'],
    ...(recommended ? [fact('Mean', `${meanText(recommended)} over ${recommended.cases} cases`)] : []),
    ...(target.text === null ? [] : [said(holdout ? 'Held out' : 'Outcome', target.text)]),
    ...(tied.length ? [said('As good', listOf(rankArms(tied).map(armName)))] : []),
    ...notTaken(arms, recommended),
    ['Arms', countsText(target, arms)],
    ...(errored.length ? [said('Errored', listOf(errored.map((arm) => `${arm.errored} in arm ${armName(arm)}`)))] : []),
  ];
}

export const listOf = (names: readonly string[]): string =>
  [...names.slice(0, MAX_LISTED), ...(names.length > MAX_LISTED ? [`and ${names.length - MAX_LISTED} more`] : [])].join(
    '; ',
  );

/** What the provider did not take of the arms, those of the recommended one first. */
function notTaken(arms: readonly TuneArm[], recommended: TuneArm | null): Fact[] {
  const counts = new Map<string, number>((recommended?.adjustments ?? []).map((text) => [text, 0]));
  for (const text of arms.flatMap(({ adjustments }) => adjustments)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const texts = [...counts].map(([text, count]) => `${beginning(text, MAX_TEXT)} (${count} of ${arms.length} arms)`);
  return texts.length ? [said('Not taken', listOf(texts))] : [];
}

function countsText({ arms: all, distinct }: TuneTarget, arms: readonly TuneArm[]): string {
  const count = (state: TuneArm['state']): number =>
    arms.filter((arm) => arm.state === state && isDistinct(arm)).length;
  const others: [number: number, what: string][] = [
    [all - distinct, 'make the same requests as another'],
    [count('dropped'), 'dropped'],
    [count('waiting'), 'not tried'],
  ];
  const named = others.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return [`${all} with the base`, ...named].join(', ');
}

/** What was found for all models together. */
export function overallFacts({ best_over_models: best, promoted_eval_id: promoted }: ParamTune): Fact[] {
  return [
    ...best.map((one) => fact('All models', `${percent(one.mean)} with arm ${one.arm} ${armConfig(one)}`)),
    ...(promoted === null ? [] : [fact('Promoted', `run ${promoted} of the experiment`)]),
  ];
}

/** "45 s", "12 min", "3.5 h" */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
