import {
  brokenCases,
  casesText,
  changeTexts,
  costText,
  runText,
  targetTable,
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
    `Cases      ${casesText(comparison)}`,
    `Cost       ${costText(comparison)}`,
    ...changeTexts(comparison).map((change) => `Changed    ${change}`),
    ...notes.map((note) => `Note       ${note}`),
    ...(targets.length ? ['', ...table(targetTable(comparison))] : []),
    ...brokenLines(comparison),
  ].map(escapeControls);
}

function brokenLines(comparison: ShownComparison): string[] {
  const { outcomes, broken } = comparison;
  if (broken.length === 0) return [];
  const lines = brokenCases(comparison).flatMap(({ name, target, expected, called, explanation }) => [
    `  ${name}${target === undefined ? '' : `  ${target}`}`,
    `      expected ${expected}`,
    `      called   ${called}`,
    ...explanation.map((sentence) => `      ${sentence}`),
  ]);
  const more = outcomes.broken - broken.length;
  return ['', `Broken: passed in the baseline, fails now`, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])];
}
