import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Outcomes } from '#lib/contracts/comparison';
import type { SampleDrift } from '#lib/contracts/sample-drift';
import type { Figures } from '#lib/comparison/figures';
import { percent, points } from '#lib/comparison/points';
import { begin, differenceOf, namesOf, sentenceFor, type Names, type Subject } from '#lib/comparison/sentence';
import { driftText } from '#lib/comparison/sample-drift';
import type { GateReason, GateResult, GateTarget } from './contract.js';
import type { MeasuredFloor } from '#lib/contracts/gate-floor';
import { isMissed, isUndecided } from '#lib/contracts/values/floors';
import { CONFIRMING_SAMPLES, type GateLevel } from './decide-gate.js';

/** The inputs of a sentence on a measured target. */
export interface GateFacts {
  reason: GateReason;
  figures: Figures;
  outcomes: Outcomes;
  subject: Subject;
  level: GateLevel;
  target: Pick<GateTarget, 'ci' | 'p_holm' | 'critical' | 'cases_needed'>;
  floors: readonly MeasuredFloor[];
  /** Number of models in the family of `p_holm`. */
  family: number;
  /** Added samples that are not counted. */
  drift: readonly SampleDrift[];
}

/** The gate's verdict on a measured target as a sentence. */
export function sentenceOnTarget(facts: GateFacts): string {
  const names = namesOf(facts.subject);
  const { reason, figures, outcomes, subject, level } = facts;
  const context = { margin: level.margin, maxErroredShare: level.max_errored_share, outcomes, subject };
  const without = { small: false, robust: false };
  switch (reason) {
    case 'nothing_scored':
    case 'too_few_cases':
      return sentenceFor(figures, { ...without, verdict: 'not_comparable', reasons: [reason] }, context);
    case 'errored':
      return sentenceFor(figures, { ...without, verdict: 'inconclusive', reasons: [reason] }, context);
    case 'drifted':
      return onDrift(facts, names);
    case 'critical':
    case 'critical_unconfirmed':
      return onCritical(facts, names);
    case 'floor':
    case 'floor_undecided':
      return `${onFloor(facts, names)}${wayOut(facts)}`;
    default:
      return `${begin(names.with, shown(facts, names))}: ${figureOf(facts, names)}${chanceOf(facts)}${wayOut(facts)}`;
  }
}

function shown({ reason, level: { margin }, target: { ci } }: GateFacts, { b }: Names): string {
  const [low, high] = ci!;
  const byMargin = margin === 0 ? '' : ` by ${points(margin)} or more`;
  if (reason === 'regressed') return `${b} is worse`;
  if (reason === 'undecided')
    return margin === 0
      ? `this data cannot tell whether ${b} is better`
      : `this data cannot tell whether ${b} is worse${byMargin}`;
  if (low > 0) return `${b} is better`;
  return high < 0 ? `${b} is worse, but by less than ${points(margin)}` : `${b} is not worse${byMargin}`;
}

/** "the difference is 0.3 points (98.4 %: -0.8 to 1.4; 300 cases): 3 fixed, 2 broken." */
function figureOf({ figures, target, outcomes, subject, level }: GateFacts, names: Names): string {
  return differenceOf({ ...figures, ci: target.ci }, { outcomes, subject }, names, levelOf(level));
}

const levelOf = ({ alpha }: GateLevel): string => percent(1 - alpha);

function chanceOf({ reason, target: { ci, p_holm }, family }: GateFacts): string {
  if (reason !== 'undecided' || ci![1] >= 0) return '';
  return (
    ` That interval lies below 0, but one of ${family} models may do so by chance: corrected for their number, p is ` +
    `${Number(p_holm!.toPrecision(2))}.`
  );
}

function wayOut({ target: { cases_needed: more } }: GateFacts): string {
  if (more === null) return '';
  const cases = more < 100 ? more : Number(more.toPrecision(2));
  return ` More samples cannot decide; about ${cases} more ${cases === 1 ? 'case' : 'cases'} could.`;
}

/** "Not measured: the later samples of the baseline score 32 points lower ..." */
const onDrift = ({ drift }: GateFacts, names: Names): string =>
  `${names.with || 'Not measured: '}${driftText(drift[0]!)} The provider probably changed in between: run both again ` +
  'and compare within one day.';

const MAX_NAMED = 3;

function onCritical({ reason, target: { critical } }: GateFacts, names: Names): string {
  const found = reason === 'critical' ? critical.filter(({ confirmed }) => confirmed) : critical;
  const count = found.length === 1 ? 'a critical case' : `${found.length} critical cases`;
  const listed = found.slice(0, MAX_NAMED).map(({ case_name, case_id }) => `"${case_name ?? case_id}"`);
  const named = listed.join(', ') + (found.length > MAX_NAMED ? ', ...' : '');
  const [always, does] = found.length === 1 ? ['It', 'does'] : ['They', 'do'];
  const past = `${always} always passed in ${names.sides[0]}`;
  return reason === 'critical'
    ? `${begin(names.with, `${names.b} breaks ${count}`)}: ${named}. ${past} and never ${does} now.`
    : `${begin(names.with, `${names.b} may break ${count}`)}: ${named}. ${past} and did not pass now; fewer than ` +
        `${CONFIRMING_SAMPLES} samples on a side do not confirm that.`;
}

function onFloor({ reason, level, floors }: GateFacts, names: Names): string {
  const { name, mean, ci, minimum } = floors.find(reason === 'floor' ? isMissed : isUndecided)!;
  const what = name === 'pass_rate' ? 'pass rate' : `"${name}"`;
  const floor = percent(minimum);
  if (mean === null || ci === null)
    return (
      `${begin(names.with, `${what} applies to no case of ${names.sides[1]}`)}, so its floor of ${floor} is not ` +
      'reached.'
    );
  const rate = `${percent(mean)} (${levelOf(level)}: ${percent(ci[0])} to ${percent(ci[1])})`;
  const [, run] = names.sides;
  return reason === 'floor'
    ? `${begin(names.with, `the ${what} of ${run} is ${rate}`)}, below the floor of ${floor}.`
    : `${begin(names.with, `this data cannot tell whether ${run} reaches the floor of ${floor}`)}: its ${what} is ` +
        `${rate}.`;
}

/** Reasons why nothing can be measured, known before any result is read. */
export const NOT_MEASURED = {
  noBaseline: 'Not measured: the gate has no baseline.',
  itself: 'Not measured: the run is its own baseline.',
  lacking: (side: string, target: string): string => `Not measured: the ${side} does not have the model "${target}".`,
  unfinished: (side: string, status: JobStatus): string =>
    isFinished(status)
      ? `Not measured: the ${side} is ${status === 'budget_exceeded' ? 'out of budget' : status}, so results are ` +
        'missing. Resume it, or run it again.'
      : `Not measured: the ${side} is ${status}. Ask again when it is completed.`,
};

/**
 * Summary over the targets: the sentence of the only target, or the number of targets with this result and what
 * decided.
 */
export function sentenceOnGate(result: GateResult, targets: readonly Pick<GateTarget, 'result' | 'text'>[]): string {
  if (targets.length === 1) return targets[0]!.text;
  if (targets.length === 0) return 'Not measured: there is no model to measure.';
  if (result === 'pass') return `All ${targets.length} models pass.`;
  const deciding = targets.filter((target) => target.result === result);
  const said = deciding.length === 1 ? ONE[result] : MANY[result];
  const texts = deciding.slice(0, MAX_NAMED).map(({ text }) => text);
  return [`${deciding.length} of ${targets.length} models ${said}.`, ...texts].join(' ');
}
const ONE: Partial<Record<GateResult, string>> = {
  fail: 'fails',
  inconclusive: 'is undecided',
  not_measured: 'was not measured',
};
const MANY: Partial<Record<GateResult, string>> = {
  fail: 'fail',
  inconclusive: 'are undecided',
  not_measured: 'were not measured',
};
