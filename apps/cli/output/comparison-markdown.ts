import {
  brokenCases,
  casesText,
  changeTexts,
  costText,
  runText,
  targetTable,
  type ShownComparison,
} from './comparison-texts.js';
import {
  brokenDetails,
  escapeMarkdown,
  MAX_COMMENT,
  MAX_SENTENCE,
  markdownItem,
  markdownTable,
  Room,
} from './markdown.js';
import { beginning } from './table.js';

/** Kept free for headings and for saying how much is left out. */
const RESERVED = 2000;

/** Comparisons for a pull request, line by line. What does not fit into a comment is counted. */
export const comparisonMarkdown = (comparisons: readonly ShownComparison[]): string[] =>
  comparisons.flatMap((comparison, index) => [
    ...(index > 0 ? ['', '---', ''] : []),
    ...one(comparison, new Room(MAX_COMMENT / comparisons.length - RESERVED)),
  ]);

function one(comparison: ShownComparison, room: Room): string[] {
  const { a, b, all, notes } = comparison;
  const sentence = escapeMarkdown(beginning(all.text ?? '', MAX_SENTENCE)) || 'No verdict.';
  const changes = changeTexts(comparison).map((change) => [markdownItem(change)]);
  const facts = [
    `Baseline: ${runText(a)}`,
    `Now: ${runText(b)}`,
    `Cases: ${casesText(comparison.cases, all.measure)}`,
    `Cost: ${costText(comparison)}`,
    ...notes.map((note) => `Note: ${beginning(note, MAX_SENTENCE)}`),
  ];
  return [
    ...room.fit([[`**${sentence}**`, '']]),
    ...markdownTable(targetTable(comparison), room),
    ...room.fit(facts.map((fact) => [markdownItem(fact)])),
    ...(changes.length ? ['', 'What changed:', '', ...room.fit(changes)] : []),
    ...brokenDetails(brokenCases(comparison), comparison.outcomes.broken, room),
  ];
}
