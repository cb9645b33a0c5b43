import type { BrokenCase } from './comparison-texts.js';
import { beginning } from './table.js';

/** A comment of GitHub has at most 65,536 characters. */
export const MAX_COMMENT = 60_000;
export const MAX_SENTENCE = 1000;

/** Control characters, and those that reverse the reading direction. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of servers and models for a pull request: on one line, shown as it is, and without effect. It closes no table
 * and no element, runs as no HTML, mentions nobody, and links to no issue and no address. (GitHub looks for mentions,
 * issues and addresses in the finished page, where a backslash is gone: only a character within them helps.)
 */
export const escapeMarkdown = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(UNSAFE, '\ufffd')
    .trim()
    .replace(/@|[#!](?=\d)|:(?=\/\/)|\bwww(?=\.)|\bgh(?=-\d)/gi, '$&\u200b')
    .replace(/[\\`*_~[\]]/g, '\\$&')
    .replace(/[&<|$]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/^(#+(?= |$)|>|[+-](?=[ -]|$)|\d+(?=[.)](?: |$)))/, escapeBlockStart);

/** Keeps the first characters from beginning a heading, a list or a quotation. */
const escapeBlockStart = (start: string): string => (/^\d/.test(start) ? `${start}\u200b` : `\\${start}`);

/** One line of a table. */
const markdownRow = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;

export const markdownItem = (text: string): string => `- ${escapeMarkdown(text)}`;

/** Lines without control characters, to copy, in a fence that is longer than what they hold. */
export function markdownFence(lines: readonly string[]): string[] {
  const runs = [...lines.join('\n').matchAll(/`+/g)].map(([ticks]) => ticks.length + 1);
  const fence = '`'.repeat(Math.max(3, ...runs));
  return ['', `${fence}sh`, ...lines, fence, ''];
}

/** Lines to unfold. */
export const markdownDetails = (summary: string, lines: readonly string[]): string[] => [
  `<details><summary>${summary}</summary>`,
  '',
  ...lines,
  '</details>',
  '',
];

/** Columns of words stand to the left, figures to the right. */
export const WORD_COLUMNS = new Set([
  'model',
  'against',
  'verdict',
  'result',
  'configuration',
  'state',
  'adjustments',
  'made',
  'changed',
  'why',
]);

/** Maps one after another as they are asked for. Of thousands of rows a comment holds a few. */
function* eachOf<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Generator<Made> {
  for (const item of items) yield make(item);
}

/** A table of a heading and rows; nothing without rows. */
export function markdownTable(cells: readonly string[][], room: Room): string[] {
  const [heading, ...rows] = cells;
  if (rows.length === 0) return [];
  const rowOf = (row: readonly string[]): string => markdownRow(row.map((cell) => beginning(cell, MAX_SENTENCE)));
  const alignment = `| ${heading!.map((name) => (WORD_COLUMNS.has(name) ? '---' : '---:')).join(' | ')} |`;
  return [
    rowOf(heading!),
    alignment,
    ...room.fit(
      eachOf(rows, (row) => [rowOf(row)]),
      rows.length,
    ),
    '',
  ];
}

/** The first broken cases of `total`, to unfold. */
export function brokenDetails(broken: readonly BrokenCase[], total: number, room: Room): string[] {
  const cases = broken.map(({ name, target, expected, called, explanation }) => [
    `- **${escapeMarkdown(name)}**${target === undefined ? '' : `, ${escapeMarkdown(target)}`}`,
    ...[`Expected: ${expected}`, `Called: ${called}`, ...explanation].map((line) => `  ${markdownItem(line)}`),
  ]);
  if (cases.length === 0) return [];
  const summary = `<details><summary>Broken cases: ${total}</summary>`;
  return ['', summary, '', ...room.fit(cases, total), '', '</details>'];
}

/** What is left of a comment. */
export class Room {
  constructor(private left: number) {}

  /** The lines of the first parts that fit, and how many of `total` parts are left out. */
  fit(parts: readonly string[][], total?: number): string[];
  fit(parts: Iterable<string[]>, total: number): string[];
  fit(parts: Iterable<string[]>, total = (parts as readonly string[][]).length): string[] {
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
