import { beginning } from './table.js';
import type { MarkedLine } from './terminal.js';

/*
 * A report on a subject, as data. The renderers (report-lines, report-markdown, report-html) are independent of the
 * subject. Texts contain names, prompts and calls as written by users, servers and models: renderers escape them.
 */

export type Fact = [name: string, text: string];

interface Foldable {
  /** Title of the collapsed section on a page; other renderers print it above the content. */
  folded?: string;
}

/** A part of a report, in reading order. */
export type Part =
  | { kind: 'heading'; level: 2 | 3; text: string }
  | { kind: 'text'; text: string }
  /** A notice is required reading for what follows. */
  | { kind: 'notice'; text: string }
  | { kind: 'facts'; facts: Fact[] }
  | ({ kind: 'list'; items: string[] } & Foldable)
  /** A heading and rows. Notes explain the columns; a terminal shows `most` rows. */
  | ({ kind: 'table'; caption: string; cells: string[][]; notes?: string[]; most?: number } & Foldable)
  /** The first of `total` cases. */
  | ({ kind: 'cases'; cases: { name: string; facts: Fact[] }[]; total: number } & Foldable)
  | { kind: 'changes'; lines: MarkedLine[] }
  /** Lines for a shell. `elsewhere` is the command that prints those that are too long for a pull request. */
  | { kind: 'commands'; commands: Fact[]; elsewhere: string }
  | { kind: 'link'; text: string; href: string };

export interface Report {
  /** In a pull request, a later report with the same mark replaces this one. */
  mark?: string;
  title: string;
  parts: Part[];
}

const WORD_COLUMNS = new Set([
  ...['model', 'against', 'verdict', 'result', 'configuration', 'state', 'adjustments', 'made', 'changed', 'why'],
  'metric',
]);
/** Columns of words are left-aligned, figures right-aligned, also where a figure is called as such a column is. */
export const isOfWords = ([names, ...rows]: readonly string[][], column: number): boolean =>
  WORD_COLUMNS.has(names![column]!) && !rows.every((row) => /^(?:[\d.]+|-)$/.test(row[column] ?? ''));

export const MAX_NAME = 100;
export const MAX_TEXT = 300;
/** Maximum length of the server's sentences. */
export const MAX_SENTENCE = 1000;

/** The non-empty parts. */
export const nonEmptyParts = ({ parts }: Report): Part[] => parts.filter((part) => sizeOf(part) > 0);

/** A function of any part, from a function for each kind. */
export const byKind =
  <Result>(of: { [Kind in Part['kind']]: (part: Extract<Part, { kind: Kind }>) => Result }) =>
  (part: Part): Result =>
    (of[part.kind] as (part: Part) => Result)(part);

const sizeOf = byKind<number>({
  heading: ({ text }) => text.length,
  text: ({ text }) => text.length,
  notice: ({ text }) => text.length,
  link: ({ text }) => text.length,
  facts: ({ facts }) => facts.length,
  list: ({ items }) => items.length,
  table: ({ cells }) => cells.length - 1,
  cases: ({ total }) => total,
  changes: ({ lines }) => lines.length,
  commands: ({ commands }) => commands.length,
});

export const heading = (text: string, level: 2 | 3 = 2): Part => ({ kind: 'heading', level, text });
export const text = (words: string): Part => ({ kind: 'text', text: words });
export const notice = (words: string): Part => ({ kind: 'notice', text: words });
export const factsPart = (facts: Fact[]): Part => ({ kind: 'facts', facts });

export const fact = (name: string, words: string): Fact => [name, beginning(words, MAX_TEXT)];
export const longFact = (name: string, words: string): Fact => [name, beginning(words, MAX_SENTENCE)];

const MAX_LISTED = 10;
export const listOf = (names: readonly string[]): string =>
  [...names.slice(0, MAX_LISTED), ...(names.length > MAX_LISTED ? [`and ${names.length - MAX_LISTED} more`] : [])].join(
    '; ',
  );

/** A long text as one line. */
export const oneLine = (words: string): string => beginning(words, MAX_SENTENCE).replace(/\s+/g, ' ').trim();
