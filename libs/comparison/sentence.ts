import { modelOf } from '#lib/contracts/target-name';
import { MIN_COMMON_CASES } from '#lib/contracts/values/comparison';
import type { Outcomes } from '#lib/contracts/comparison';
import { casesForMargin, type Figures } from './figures.js';
import type { TargetPair } from './measurements.js';
import { percent, points, pointsRange } from './points.js';
import type { Verdict, VerdictRules } from './verdict.js';

/** The subject of a sentence. */
export interface Subject {
  /** The compared targets, one pair or several. */
  pairs: readonly TargetPair[];
  /** Whether the comparison has other targets, so that the sentence has to name its own. */
  amongOthers: boolean;
  /** What to call the two runs of the same targets; "the baseline" and "the new run" by default. */
  sides?: readonly [a: string, b: string] | undefined;
  /** The compared metric, if it is neither the score nor the pass rate. */
  metric?: string | undefined;
}

type Context = VerdictRules & { subject: Subject; outcomes: Outcomes };

/** A verdict as a sentence: in points, with the deciding interval, and with a remedy if there is one. */
export function sentenceFor(figures: Figures, verdict: Verdict, context: Context): string {
  const names = namesOf(context.subject);
  switch (verdict.verdict) {
    case 'improved':
    case 'regressed':
      return shown(figures, verdict, context, names);
    case 'same': {
      const counted = countsOf(figures, context, `90 %: ${pointsRange(figures.ci90!)}`);
      return begin(names.with, `no difference larger than ${points(context.margin)} between ${names.both} ${counted}.`);
    }
    case 'not_comparable':
      return notComparable(figures, verdict, context, names);
    case 'inconclusive':
      return verdict.reasons.includes('errored')
        ? tooManyErrors(figures, context, names)
        : [...describeInconclusive(figures, context, names), ...wayOut(figures, context)].join(' ');
  }
}

export interface Names {
  /** "With gpt-x, " when the target does not follow from the comparison. */
  with: string;
  /** The side that is better or worse. */
  b: string;
  both: string;
  /** The name of the difference. */
  difference: string;
  /** " of bfcl_ast" after points, when they are not points of the score. */
  of: string;
  sides: [a: string, b: string];
  /** Whether two models are compared, so that nothing was fixed or broken between them. */
  areModels: boolean;
}

export function namesOf({ pairs, amongOthers, sides, metric }: Subject): Names {
  const of = metric === undefined ? '' : ` of ${metric}`;
  const targets = pairs.length === 1 ? pairs[0]! : undefined;
  if (!targets || targets.a === targets.b)
    return {
      with: targets && amongOthers ? `With ${modelOf(targets.b)}, ` : '',
      b: sides?.[1] ?? 'the new run',
      both: sides ? `${sides[1]} and ${sides[0]}` : 'the two runs',
      difference: 'the difference',
      of,
      sides: sides ? [...sides] : ['the baseline', 'the new run'],
      areModels: false,
    };
  const models = [modelOf(targets.a), modelOf(targets.b)] as const;
  const [a, b] = models[0] === models[1] ? [targets.a, targets.b] : models;
  return { with: '', b, both: `${b} and ${a}`, difference: `${b} minus ${a}`, of, sides: [a, b], areModels: true };
}

/** Model names keep their spelling; other sentences start with a capital letter. */
export function begin(prefix: string, rest: string): string {
  if (prefix) return prefix + rest;
  return /^(the|this|no|it) /.test(rest) ? rest.charAt(0).toUpperCase() + rest.slice(1) : rest;
}

function shown(figures: Figures, { verdict, small }: Verdict, context: Context, names: Names): string {
  const { margin } = context;
  const better = verdict === 'improved';
  const by = points(Math.abs(figures.difference!), figures.ci!) + names.of;
  const [low, high] = figures.ci!;
  const interval = `95 %: ${pointsRange(better ? [low, high] : [-high, -low])}`;
  const size = small ? `, by less than ${points(margin)}: ${by}` : ` by ${by}`;
  const counted = countsOf(figures, context, interval, small ? '; ' : ': ');
  const than = names.areModels ? ` than ${names.sides[0]}` : '';
  return begin(names.with, `${names.b} is ${better ? 'better' : 'worse'}${than}${size} ${counted}.`);
}

/** "(95 %: 1 to 17; 100 cases): 12 fixed, 3 broken" */
function countsOf(
  figures: Figures,
  { outcomes, subject }: Pick<Context, 'outcomes' | 'subject'>,
  interval: string,
  separator = ': ',
): string {
  const { n_cases: n, scoredCases, grouped } = figures;
  const cases = grouped ? `${casesOf(scoredCases)} in ${unitsOf(n, true)}` : casesOf(n);
  const targets = subject.pairs.length > 1 ? `, ${subject.pairs.length} targets` : '';
  const changes = changesOf(outcomes, namesOf(subject));
  return `(${interval}; ${cases}${targets})${changes && separator}${changes}`;
}

const unitsOf = (count: number, grouped: boolean): string =>
  `${count.toLocaleString('en')} ${grouped ? 'group' : 'case'}${count === 1 ? '' : 's'}`;
const casesOf = (count: number): string => unitsOf(count, false);

function changesOf({ fixed, broken, better, worse }: Outcomes, { areModels, sides: [a, b] }: Names): string {
  const pair = (up: number, upward: string, down: number, downward: string): string[] =>
    up + down === 0 ? [] : [`${up || 'none'} ${upward}`, `${down || 'none'} ${downward}`];
  const parts = areModels
    ? [
        ...pair(fixed, `passed by ${b} alone`, broken, `by ${a} alone`),
        ...pair(better, `scored higher by ${b}`, worse, `by ${a}`),
      ]
    : [...pair(fixed, 'fixed', broken, 'broken'), ...pair(better, 'better', worse, 'worse')];
  return parts.join(', ');
}

function describeInconclusive(figures: Figures, context: Context, names: Names): string[] {
  const { holm } = context;
  const { ci, n_cases: n, grouped, smallest_detectable: detectable } = figures;
  const visible = detectable! < 1 ? `only a gap of ${points(detectable!)} would be visible` : 'no gap would be visible';
  const said = [
    names.with ? `${names.with}it is too close to call.` : 'Too close to call.',
    begin('', `${gapOf(figures, context, names)}.`),
    `With ${unitsOf(n, grouped)}, ${visible}.`,
  ];
  if (holm && (ci![0] > 0 || ci![1] < 0))
    said.push(
      `That interval alone lies on one side of 0, but one of ${holm.targets} ${holm.family ?? 'targets'} may do so ` +
        `by chance: corrected for their number, p is ${Number(holm.p.toPrecision(2))}.`,
    );
  return said;
}

/** "gpt-y is 5 points below gpt-x (95 %: -10 to 0.2; 100 cases): none passed by gpt-y alone, 5 by gpt-x alone" */
function gapOf(figures: Figures, context: Context, { sides: [a, b], of }: Names): string {
  const { difference, ci } = figures;
  const counted = countsOf(figures, context, `95 %: ${pointsRange(ci!)}`);
  const size = points(Math.abs(difference!), ci!);
  if (size === '0 points') return `${b} and ${a} score the same ${counted}`;
  return `${b} is ${size}${of} ${difference! > 0 ? 'above' : 'below'} ${a} ${counted}`;
}

/** Whether more cases or more samples can show the margin: no number of samples reduces the variance between cases. */
function wayOut(figures: Figures, { margin }: Context): string[] {
  if (margin === 0) return ['With a margin of 0, nothing can be shown to be the same.'];
  const needed = casesForMargin(figures, margin);
  const { n_cases: n, grouped, smallest_detectable: detectable, se, variance, samples } = figures;
  if (needed === null || needed <= n) return [];
  const cases = `About ${unitsOf(rounded(needed), grouped)} would show ${points(margin)}`;
  if (!variance) return [`${cases}; more samples of each case help if replies to the same case vary.`];
  const quantiles = detectable! / se!;
  const spare = n * (margin / quantiles) ** 2 - variance.between;
  if (spare <= 0) return [`${cases}; more samples of these would not, because the cases vary too much.`];
  const now = Math.max(...samples);
  const more = Math.ceil((variance.within / spare) * now);
  return [
    more <= now || more > MAX_SAMPLES ? `${cases}.` : `${cases}, and so would about ${more} samples of each of these.`,
  ];
}

/** The maximum number of samples of a run. */
const MAX_SAMPLES = 100;

/** To two digits: the estimate is not more precise. */
const rounded = (count: number): number => (count < 100 ? count : Number(count.toPrecision(2)));

function tooManyErrors(figures: Figures, context: Context, names: Names): string {
  const [a, b] = figures.erroredShares;
  const worst = b >= a ? 1 : 0;
  return (
    `${names.with || 'No verdict: '}${percent(figures.erroredShares[worst])} of ${resultsOf(names.sides[worst])} ` +
    `errored, above the limit of ${percent(context.maxErroredShare)}. Resume that run to repeat them. Without them, ` +
    `${differenceOf(figures, context, names)}`
  );
}

const resultsOf = (side: string): string => (side === 'it' ? 'its results' : `the results of ${side}`);

/** "gpt-y minus gpt-x is -5 points (95 %: -10 to 0.2; 100 cases): none fixed, 5 broken." */
export const differenceOf = (
  figures: Figures,
  context: Pick<Context, 'outcomes' | 'subject'>,
  names: Names,
  level = '95 %',
): string =>
  `${names.difference} is ${points(figures.difference!, figures.ci!)}${names.of} ` +
  `${countsOf(figures, context, `${level}: ${pointsRange(figures.ci!)}`)}.`;

function notComparable(figures: Figures, { reasons }: Verdict, context: Context, names: Names): string {
  const { n_cases: n, common, grouped } = figures;
  const needed = `and a verdict needs ${MIN_COMMON_CASES}`;
  switch (reasons[0]) {
    case 'running':
      return (
        'No verdict yet: a run is still in progress. Compare again when it has ended.' +
        (n === 0 ? '' : ` So far, ${differenceOf(figures, context, names)}`)
      );
    case 'no_common_targets':
      return 'Not comparable: the runs have no model in common. Choose a model of each.';
    case 'nothing_scored':
      return (
        `Not comparable: none of the ${unitsOf(common, grouped)} in common has a score on both sides. Resume the run ` +
        'whose results errored, or compare a measure that both runs have.'
      );
    default: {
      const cases = common === 0 ? 'no case' : unitsOf(common, grouped);
      return common < MIN_COMMON_CASES
        ? `Not comparable: the runs have ${cases} in common, ${needed}. Run both over the same cases.`
        : `Not comparable: of ${cases} in common, only ${n} have a score on both sides, ${needed}. ` +
            'Resume the run whose results errored.';
    }
  }
}
