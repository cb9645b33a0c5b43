import type { Comparison, ComparedItem, ComparedRun } from '#lib/contracts/comparison';
import { unsetLabel } from '#lib/contracts/unset-label';
import { calledText, expectedText } from '../output/calls.js';
import { fact, factsPart, MAX_NAME, MAX_TEXT, longFact, type Fact, type Part, type Report } from '../output/report.js';
import { beginning, difference, dollars, milliseconds, percent, samplesText } from '../output/table.js';

/** A comparison with the first of the cases that it broke. */
export type ShownComparison = Comparison & { broken: ComparedItem[] };

/** Report on a comparison. Verdicts are the server's own sentences. */
export function comparisonReport(comparison: ShownComparison): Report {
  const { a, b, all, notes, outcomes } = comparison;
  return {
    title: all.text ?? 'No verdict.',
    parts: [
      factsPart([
        ['Baseline', runText(a)],
        ['Now', runText(b)],
        ['Cases', casesText(comparison.cases, all.measure)],
        ['Cost', costText(comparison)],
        ...changeFacts(comparison),
        ...notes.map((note) => longFact('Note', note)),
      ]),
      { kind: 'table', caption: 'Models', cells: targetTable(comparison) },
      brokenPart(brokenCases(comparison), outcomes.broken),
    ],
  };
}

const HEADING = ['model', 'baseline', 'now', 'difference (95 %)', 'p (Holm)', 'fixed', 'broken'];

/** A heading and a row for each pair of targets; with a verdict, unless it is the one of the whole comparison. */
function targetTable({ targets, all }: Comparison): string[][] {
  const isOwn = targets.some(({ estimate }) => estimate.text !== all.text);
  return [
    [...HEADING, ...(isOwn ? ['verdict'] : [])],
    ...targets.map(({ a, b, estimate, p_holm, outcomes }) => [
      pairName(a, b),
      percent(estimate.mean_a),
      percent(estimate.mean_b),
      difference(estimate.difference, estimate.ci),
      p_holm === null ? '-' : p_holm < 0.0001 ? '< 0.0001' : p_holm.toFixed(4),
      String(outcomes.fixed),
      String(outcomes.broken),
      ...(isOwn ? [estimate.text ?? ''] : []),
    ]),
  ];
}

export const pairName = (a: string, b: string): string =>
  a === b ? beginning(a, MAX_NAME) : `${beginning(a, MAX_NAME)} -> ${beginning(b, MAX_NAME)}`;

function runText({ id, rescore_id, suite, status, samples, unmatched }: ComparedRun): string {
  return [
    `${id}, ${beginning(suite.name, MAX_NAME)} v${suite.version}, ${samplesText(samples)}, ${status}`,
    ...(rescore_id === null ? [] : [`rescore ${rescore_id}`]),
    ...(unmatched.length ? [`not compared: ${beginning(unmatched.join(', '), MAX_TEXT)}`] : []),
  ].join(', ');
}

export function casesText(cases: Comparison['cases'], measure: string): string {
  const others: [count: number, what: string][] = [
    [cases.dropped_errored, 'left out because of errors'],
    [cases.changed, 'changed'],
    [cases.only_a, 'only in the baseline'],
    [cases.only_b, 'only in the other run'],
  ];
  const named = others.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return [`${cases.common} in common`, ...named, `compared by ${beginning(measure, MAX_NAME)}`].join(', ');
}

function costText({ cost, latency_p50_ms: latency }: Comparison): string {
  const known = (amount: number | null): string => (amount === null ? 'unknown' : dollars(amount));
  const ms = (value: number | null): string => (value === null ? 'unknown' : milliseconds(value));
  const costs = cost.a === null && cost.b === null ? 'unknown' : `${known(cost.a)} -> ${known(cost.b)}`;
  return `${costs}, median latency ${ms(latency.a)} -> ${ms(latency.b)}`;
}

export const changeFacts = ({ what_changed: changes }: Pick<Comparison, 'what_changed'>): Fact[] =>
  changes.map(({ path, a, b }) => {
    const value = (one: unknown): string => (one == null ? unsetLabel(path) : beginning(JSON.stringify(one), MAX_TEXT));
    return ['Changed', `${beginning(path, MAX_TEXT)}: ${value(a)} -> ${value(b)}`];
  });

/** A case with its expected and actual calls, shortened for display. */
export interface ShownCase {
  name: string;
  expected: string;
  called: string;
  explanation: string[];
}
export interface BrokenCase extends ShownCase {
  /** Set if there are several. */
  target?: string;
}

const brokenCases = ({ broken, targets }: ShownComparison): BrokenCase[] =>
  broken.map((item) => ({
    ...shownCase(item),
    ...(targets.length > 1 && { target: pairName(item.target_a, item.target_b) }),
  }));

/** The first broken cases of `total`. */
export const brokenPart = (broken: readonly BrokenCase[], total: number): Part => ({
  kind: 'cases',
  folded: `Broken cases: ${total} (passed in the baseline, fail now)`,
  total: broken.length > 0 ? total : 0,
  cases: broken.map(({ name, target, expected, called, explanation }) => ({
    name,
    facts: [
      ...(target === undefined ? [] : [fact('Model', target)]),
      fact('Expected', expected),
      fact('Called', called),
      ...explanation.map((sentence) => fact('Why', sentence)),
    ],
  })),
});

const MAX_SENTENCES = 5;

export const shownCase = ({ case_name, prompt, expected, b }: ComparedItem): ShownCase => ({
  name: caseName({ case_name, prompt }),
  expected: beginning(expectedText(expected), MAX_TEXT),
  called: beginning(calledText(b.called), MAX_TEXT),
  explanation: b.explanation.slice(0, MAX_SENTENCES).map((sentence) => beginning(sentence, MAX_TEXT)),
});

export const caseName = ({ case_name, prompt }: Pick<ComparedItem, 'case_name' | 'prompt'>): string =>
  beginning(case_name ?? prompt, MAX_NAME);
