import { beginning } from './table.js';
import type { MarkedLine } from './terminal.js';

/*
 * What the command says of a subject, as data. The renderers (report-lines, report-markdown, report-html) know no
 * subject. Texts hold names, prompts and calls as users, servers and models wrote them: renderers escape them.
 */

export type Fact = [name: string, text: string];

interface Foldable {
  /** The title of what a page folds away, and of what other readers see below it. */
  folded?: string;
}

/** A part of a report, in the order of reading. */
export type Part =
  | { kind: 'heading'; level: 2 | 3; text: string }
  /** A notice is what has to be known to read what follows. */
  | { kind: 'text' | 'notice'; text: string }
  | { kind: 'facts'; facts: Fact[] }
  | ({ kind: 'list'; items: string[] } & Foldable)
  /** A heading and rows. Notes explain the columns; a terminal shows `most` rows. */
  | ({ kind: 'table'; caption: string; cells: string[][]; notes?: string[]; most?: number } & Foldable)
  /** The first of `total` cases. */
  | ({ kind: 'cases'; cases: { name: string; facts: Fact[] }[]; total: number } & Foldable)
  | { kind: 'changes'; lines: MarkedLine[] }
  /** Lines for a shell. `elsewhere` prints those that are too long for a pull request. */
  | { kind: 'commands'; commands: Fact[]; elsewhere: string }
  | { kind: 'link'; text: string; href: string };

export interface Report {
  /** In a pull request the next report of the same mark replaces this one. */
  mark?: string;
  title: string;
  parts: Part[];
}

/** Columns of words stand to the left, figures to the right. */
export const WORD_COLUMNS = new Set([
  ...['model', 'against', 'verdict', 'result', 'configuration', 'state', 'adjustments', 'made', 'changed', 'why'],
]);

export const MAX_NAME = 100;
export const MAX_TEXT = 300;
/** Sentences of the server. */
export const MAX_SENTENCE = 1000;

/** The parts that say something. */
export const filledParts = ({ parts }: Report): Part[] => parts.filter((part) => sizeOf(part) > 0);

function sizeOf(part: Part): number {
  switch (part.kind) {
    case 'facts':
      return part.facts.length;
    case 'list':
      return part.items.length;
    case 'table':
      return part.cells.length - 1;
    case 'cases':
      return part.cases.length;
    case 'changes':
      return part.lines.length;
    case 'commands':
      return part.commands.length;
    default:
      return part.text.length;
  }
}

export const heading = (text: string, level: 2 | 3 = 2): Part => ({ kind: 'heading', level, text });
export const text = (words: string): Part => ({ kind: 'text', text: words });
export const notice = (words: string): Part => ({ kind: 'notice', text: words });
export const factsPart = (facts: Fact[]): Part => ({ kind: 'facts', facts });

export const fact = (name: string, words: string): Fact => [name, beginning(words, MAX_TEXT)];
export const said = (name: string, words: string): Fact => [name, beginning(words, MAX_SENTENCE)];

const MAX_LISTED = 10;
export const listOf = (names: readonly string[]): string =>
  [...names.slice(0, MAX_LISTED), ...(names.length > MAX_LISTED ? [`and ${names.length - MAX_LISTED} more`] : [])].join(
    '; ',
  );

/** A long text as one line. */
export const oneLine = (words: string): string => beginning(words, MAX_SENTENCE).replace(/\s+/g, ' ').trim();
