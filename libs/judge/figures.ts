import { cohenKappa } from '#lib/scoring/statistics/cohen-kappa';
import { caseMeanInterval } from '#lib/scoring/statistics/intervals';
import { wilson } from '#lib/scoring/statistics/proportions';
import { OPINIONS } from '#lib/contracts/values/judging';
import {
  MAX_FLIP_SHARE,
  type ComparedPair,
  type Judged,
  type JudgedTarget,
  type Opinion,
  type ReportFigures,
} from './contract.js';
import { isOk } from './conclude.js';

export function figuresOf(rows: readonly Judged[]): ReportFigures {
  const isComparison = rows.some(({ other }) => other !== null);
  const all = isComparison ? NOTHING : agreementWithPassing(rows);
  return {
    items: rows.length,
    judged: count(rows, ({ state }) => state === 'judged'),
    errored: count(rows, ({ state }) => state === 'errored'),
    ...all,
    targets: isComparison ? [] : [...groupBy(rows, ({ target }) => target)].map(([, group]) => figuresOfTarget(group)),
    pairs: isComparison
      ? [...groupBy(rows, ({ target, other }) => `${other}~${target}`)].map(([, group]) => figuresOfPair(group))
      : [],
  };
}

const NOTHING = { share_ok: null, share_ok_ci: null, kappa: null, kappa_ci: null };

/** Over cases, because the samples of one case are not independent. */
function agreementWithPassing(
  rows: readonly Judged[],
): Pick<ReportFigures, 'share_ok' | 'share_ok_ci' | 'kappa' | 'kappa_ci'> {
  const decided = rows.filter(({ verdict }) => verdict !== null && verdict !== 'cannot_tell');
  const cases = [...groupBy(decided, ({ casePosition }) => String(casePosition)).values()].map(
    (group) => count(group, ({ verdict }) => isOk(verdict!)) / group.length,
  );
  const cell = (ok: boolean, passed: boolean): number =>
    count(decided, (one) => isOk(one.verdict!) === ok && one.passed === passed);
  const { kappa, ci } = cohenKappa(
    [
      [cell(true, true), cell(true, false)],
      [cell(false, true), cell(false, false)],
    ],
    'none',
  );
  return {
    share_ok: cases.length > 0 ? cases.reduce((sum, mean) => sum + mean, 0) / cases.length : null,
    share_ok_ci: caseMeanInterval(cases),
    kappa,
    kappa_ci: ci && [Math.max(-1, ci[0]), Math.min(1, ci[1])],
  };
}

function figuresOfTarget(rows: readonly Judged[]): JudgedTarget {
  return {
    target: rows[0]!.target,
    judged: count(rows, ({ state }) => state === 'judged'),
    errored: count(rows, ({ state }) => state === 'errored'),
    counts: Object.fromEntries(
      OPINIONS.map((name) => [name, count(rows, ({ verdict }) => verdict === name)]),
    ) as Record<Opinion, number>,
    ...agreementWithPassing(rows),
    kinder: count(rows, ({ agreement }) => agreement === 'kinder'),
    stricter: count(rows, ({ agreement }) => agreement === 'stricter'),
    expectation_at_fault: count(rows, ({ expectationAtFault }) => expectationAtFault),
    suspicious: count(rows, ({ suspicious }) => suspicious),
  };
}

function figuresOfPair(rows: readonly Judged[]): ComparedPair {
  const { target: b, other: a } = rows[0]!;
  const [wins, losses, ties] = ['win', 'loss', 'tie'].map((name) => count(rows, ({ verdict }) => verdict === name));
  const flips = count(rows, ({ flipped }) => flipped);
  const judged = count(rows, ({ state }) => state === 'judged');
  const decided = wins! + losses!;
  const pair = {
    a: a!,
    b,
    wins: wins!,
    losses: losses!,
    ties: ties!,
    position_flips: flips,
    errored: rows.length - judged,
    preference: decided > 0 ? wins! / decided : null,
    preference_ci: wilson(wins!, decided),
    can_tell: flips <= MAX_FLIP_SHARE * judged,
  };
  return { ...pair, text: sentenceOf(pair, judged) };
}

function sentenceOf(
  { a, b, wins, losses, position_flips: flips, can_tell, preference_ci: ci }: Omit<ComparedPair, 'text'>,
  judged: number,
): string {
  if (judged === 0) return `No case of ${a} and ${b} was judged.`;
  if (!can_tell)
    return (
      `This judge cannot tell ${a} and ${b} apart: in ${flips} of ${judged} cases its choice changed with their ` +
      'order.'
    );
  if (!ci) return `The judge prefers neither ${a} nor ${b} in any of ${judged} cases.`;
  const share = `${wins} of ${wins + losses} decided cases (95 %: ${percent(ci[0])} to ${percent(ci[1])} %)`;
  if (ci[0] > 0.5) return `The judge prefers ${b} to ${a}: in ${share}.`;
  if (ci[1] < 0.5) return `The judge prefers ${a} to ${b}: ${b} is better in ${share}.`;
  return `It is undecided which the judge prefers: ${b} is better than ${a} in ${share}.`;
}

const percent = (share: number): string => (100 * share).toFixed(0);
const count = (rows: readonly Judged[], which: (row: Judged) => boolean): number => rows.filter(which).length;

function groupBy(rows: readonly Judged[], key: (row: Judged) => string): Map<string, Judged[]> {
  const groups = new Map<string, Judged[]>();
  for (const row of rows) {
    const name = key(row);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return groups;
}
