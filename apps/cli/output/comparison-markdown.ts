import {
  brokenCases,
  casesText,
  changeTexts,
  costText,
  runText,
  targetTable,
  type ShownComparison,
} from './comparison-texts.js';
import { escapeMarkdown, markdownRow } from './markdown.js';
import { beginning } from './table.js';

/** A comment of GitHub has at most 65,536 characters. */
const MAX_COMMENT = 60_000;
/** Kept free for headings and for saying how much is left out. */
const RESERVED = 2000;
const MAX_SENTENCE = 1000;

/** Comparisons for a pull request, line by line. What does not fit into a comment is counted. */
export const comparisonMarkdown = (comparisons: readonly ShownComparison[]): string[] =>
  comparisons.flatMap((comparison, index) => [
    ...(index > 0 ? ['', '---', ''] : []),
    ...one(comparison, new Room(MAX_COMMENT / comparisons.length - RESERVED)),
  ]);

function one(comparison: ShownComparison, room: Room): string[] {
  const { a, b, all, notes } = comparison;
  const sentence = escapeMarkdown(beginning(all.text ?? '', MAX_SENTENCE)) || 'No verdict.';
  const [heading, ...rows] = targetTable(comparison).map((row) => row.map((cell) => beginning(cell, MAX_SENTENCE)));
  const changes = changeTexts(comparison).map((change) => [item(change)]);
  const facts = [
    `Baseline: ${runText(a)}`,
    `Now: ${runText(b)}`,
    `Cases: ${casesText(comparison)}`,
    `Cost: ${costText(comparison)}`,
    ...notes.map((note) => `Note: ${beginning(note, MAX_SENTENCE)}`),
  ];
  return [
    ...room.fit([[`**${sentence}**`, '']]),
    ...(rows.length ? [...tableHead(heading!), ...room.fit(rows.map((row) => [markdownRow(row)])), ''] : []),
    ...room.fit(facts.map((fact) => [item(fact)])),
    ...(changes.length ? ['', 'What changed:', '', ...room.fit(changes)] : []),
    ...broken(comparison, room),
  ];
}

const item = (text: string): string => `- ${escapeMarkdown(text)}`;

/** Figures stand to the right, the model and the verdict to the left. */
const tableHead = (heading: string[]): string[] => [
  markdownRow(heading),
  `| ${heading.map((name) => (name === 'model' || name === 'verdict' ? '---' : '---:')).join(' | ')} |`,
];

function broken(comparison: ShownComparison, room: Room): string[] {
  const { outcomes } = comparison;
  const cases = brokenCases(comparison).map(({ name, target, expected, called, explanation }) => [
    `- **${escapeMarkdown(name)}**${target === undefined ? '' : `, ${escapeMarkdown(target)}`}`,
    ...[`Expected: ${expected}`, `Called: ${called}`, ...explanation].map((line) => `  ${item(line)}`),
  ]);
  if (cases.length === 0) return [];
  const summary = `<details><summary>Broken cases: ${outcomes.broken}</summary>`;
  return ['', summary, '', ...room.fit(cases, outcomes.broken), '', '</details>'];
}

/** What is left of a comment. */
class Room {
  constructor(private left: number) {}

  /** The lines of the first parts that fit, and how many of `total` parts are left out. */
  fit(parts: readonly string[][], total = parts.length): string[] {
    const lines: string[] = [];
    let fitting = 0;
    for (const part of parts) {
      const length = part.join('\n').length + 1;
      if (length > this.left) break;
      this.left -= length;
      lines.push(...part);
      fitting++;
    }
    return fitting < total ? [...lines, `- and ${total - fitting} more`] : lines;
  }
}
