import {
  brokenCases,
  casesText,
  changeTexts,
  costText,
  runText,
  targetTable,
  type BrokenCase,
  type ShownComparison,
} from './comparison-texts.js';
import { table } from './table.js';
import { escapeControls } from './terminal.js';

/** A comparison for a terminal, line by line. */
export function comparisonLines(comparison: ShownComparison): string[] {
  const { a, b, all, notes, targets } = comparison;
  return [
    all.text ?? '',
    '',
    `Baseline   ${runText(a)}`,
    `Now        ${runText(b)}`,
    `Cases      ${casesText(comparison.cases, all.measure)}`,
    `Cost       ${costText(comparison)}`,
    ...changeTexts(comparison).map((change) => `Changed    ${change}`),
    ...notes.map((note) => `Note       ${note}`),
    ...(targets.length ? ['', ...table(targetTable(comparison))] : []),
    ...brokenLines(brokenCases(comparison), comparison.outcomes.broken),
  ].map(escapeControls);
}

/** The first broken cases of `total`. */
export function brokenLines(broken: readonly BrokenCase[], total: number): string[] {
  if (broken.length === 0) return [];
  const lines = broken.flatMap(({ name, target, expected, called, explanation }) => [
    `  ${name}${target === undefined ? '' : `  ${target}`}`,
    `      expected ${expected}`,
    `      called   ${called}`,
    ...explanation.map((sentence) => `      ${sentence}`),
  ]);
  const more = total - broken.length;
  return ['', `Broken: passed in the baseline, fails now`, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])];
}
