import { byKind, nonEmptyParts, isOfWords, MAX_SENTENCE, type Fact, type Part, type Report } from './report.js';
import { beginning } from './table.js';
import type { MarkedLine } from './terminal.js';

/** GitHub limits comments to 65,536 characters. */
const MAX_COMMENT = 60_000;
const MAX_COMMAND = 8000;
const MAX_PART = 4000;
/** Characters needed to say how many are left out. */
const MAX_COUNT = 30;

/** Control characters, and those that reverse the reading direction. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes text of servers and models for a pull request: it stays on one line, looks unchanged, and has no effect. It
 * closes no table and no element, is not interpreted as HTML, mentions no user, and links to no issue and no address.
 * (GitHub looks for mentions, issues and addresses in the rendered page, where a backslash is gone: only a character
 * within them helps.)
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

/** Keeps the first characters from starting a heading, a list or a quotation. */
const escapeBlockStart = (start: string): string => (/^\d/.test(start) ? `${start}\u200b` : `\\${start}`);

const sentence = (text: string): string => escapeMarkdown(beginning(text, MAX_SENTENCE));
const item = (text: string): string => `- ${sentence(text)}`;

/** A part in Markdown. Its items are generated one by one while there is room: of thousands a comment holds a few. */
interface Block {
  before: string[];
  items: Iterable<string[]>;
  /** Total number of items, including those not loaded here. */
  total: number;
  after: string[];
}

/**
 * A report as Markdown lines, short enough for a comment. Items that do not fit are counted.
 * @param count number of reports in the comment
 */
export function reportMarkdown(report: Report, count = 1): string[] {
  const { mark, title } = report;
  const head = [...(mark === undefined ? [] : [commentMark(mark)]), `# ${sentence(title)}`, ''];
  const blocks = nonEmptyParts(report).map(blockOf);
  const shares = fairShares(blocks.map(lengthOf), MAX_COMMENT / count - MAX_COUNT - lengthOfLines(head));
  return [...head, ...blocks.flatMap((block, index) => fit(block, shares[index]!))];
}

/** Invisible in a comment. An id contains only letters, digits and hyphens. */
const commentMark = (id: string): string => `<!-- toolmark:${id.replaceAll(/[^\da-z-]/gi, '')} -->`;

const blockOf = byKind<Block>({
  heading: ({ level, text }) => lines(`${'#'.repeat(level)} ${sentence(text)}`),
  text: ({ text }) => lines(sentence(text)),
  notice: ({ text }) => lines(`**${sentence(text)}**`),
  link: ({ text, href }) => lines(`[${sentence(text)}](<${href}>)`),
  commands: (part) => commandsBlock(part),
  facts: ({ facts }) => block(facts, ([name, text]) => [item(`${name}: ${text}`)]),
  changes: (part) =>
    block(
      part.lines.filter((line) => line.some(({ text }) => text.trim() !== '')),
      // The name of a component is one part; a line of its text has a margin before its parts.
      (line) => [line.length === 1 ? `- **${markedText(line)}**` : `  - ${markedText(line)}`],
    ),
  list: (part) =>
    folded(
      block(part.items, (text) => [item(text)]),
      part.folded,
    ),
  table: (part) => folded(tableBlock(part), part.folded),
  cases: (part) => folded(block(part.cases, caseLines, part.total), part.folded),
});

const caseLines = ({ name, facts }: { name: string; facts: Fact[] }): string[] => [
  `- **${sentence(name)}**`,
  ...facts.map(([what, text]) => `  - ${escapeMarkdown(`${what}: ${text}`)}`),
];

const lines = (...all: string[]): Block => ({ before: [], items: [[...all, '']], total: 1, after: [] });

function* eachOf<Item>(items: readonly Item[], linesOf: (one: Item) => string[]): Generator<string[]> {
  for (const one of items) yield linesOf(one);
}
const block = <Item>(items: readonly Item[], linesOf: (one: Item) => string[], total = items.length): Block => ({
  before: [],
  items: { [Symbol.iterator]: () => eachOf(items, linesOf) },
  total,
  after: [''],
});

const folded = (one: Block, title: string | undefined): Block =>
  title === undefined
    ? one
    : {
        ...one,
        before: [`<details><summary>${sentence(title)}</summary>`, '', ...one.before],
        after: [...one.after, '</details>', ''],
      };

function tableBlock({ cells, notes = [] }: Extract<Part, { kind: 'table' }>): Block {
  const [names = [], ...rows] = cells;
  const row = (cells: readonly string[]): string => `| ${cells.map(sentence).join(' | ')} |`;
  const alignment = names.map((_name, column) => (isOfWords(cells, column) ? '---' : '---:'));
  return {
    ...block(rows, (cells) => [row(cells)]),
    before: [row(names), `| ${alignment.join(' | ')} |`],
    after: ['', ...notes.flatMap((note) => [sentence(note), ''])],
  };
}

/** Lines without control characters, to copy, in a fence that is longer than any fence in them. */
function commandsBlock({ commands, elsewhere }: Extract<Part, { kind: 'commands' }>): Block {
  const all = commands.map(([, line]) => line);
  const text = all.join('\n');
  if (text.length > MAX_COMMAND)
    return lines(sentence(`The command is too long for this report. Print it with: ${elsewhere}`));
  const ticks = [...text.matchAll(/`+/g)].map(([run]) => run.length + 1);
  const fence = '`'.repeat(Math.max(3, ...ticks));
  return lines(`${fence}sh`, ...all, fence);
}

const TAGS = { same: ['', ''], removed: ['<del>', '</del>'], added: ['<ins>', '</ins>'] } as const;

/** A line with added or removed parts. The space around a part stays outside its element. */
const markedText = (line: MarkedLine): string =>
  line
    .map(({ op, text }) => {
      const part = beginning(text, MAX_PART);
      const [before, after] = TAGS[op];
      const escaped = escapeMarkdown(part);
      if (escaped === '') return part === '' ? '' : ' ';
      return `${/^\s/.test(part) ? ' ' : ''}${before}${escaped}${after}${/\s$/.test(part) ? ' ' : ''}`;
    })
    .join('')
    .trim();

const lengthOfLines = (all: readonly string[]): number => all.reduce((sum, line) => sum + line.length + 1, 0);

/** The length of a block, at most that of a whole comment. */
function lengthOf({ before, items, after }: Block): number {
  let length = lengthOfLines(before) + lengthOfLines(after) + MAX_COUNT;
  for (const one of items) {
    length += lengthOfLines(one);
    if (length > MAX_COMMENT) break;
  }
  return length;
}

/** Gives each block what it needs; if there is too little room, the blocks that need more get equal shares. */
function fairShares(needs: readonly number[], room: number): number[] {
  const shares = needs.map(() => 0);
  let left = room;
  const byNeed = [...needs.keys()].sort((a, b) => needs[a]! - needs[b]!);
  for (const [place, index] of byNeed.entries()) {
    shares[index] = Math.min(needs[index]!, Math.floor(left / (needs.length - place)));
    left -= shares[index]!;
  }
  return shares;
}

/** The first items of a block for which there is room. */
function fit({ before, items, after, total }: Block, room: number): string[] {
  let left = room - lengthOfLines(before) - lengthOfLines(after) - MAX_COUNT;
  const shown: string[][] = [];
  for (const one of items) {
    left -= lengthOfLines(one);
    if (left < 0) break;
    shown.push(one);
  }
  if (shown.length === 0) return room > MAX_COUNT ? [...moreLines(total), ''] : [];
  return [...before, ...shown.flat(), ...(shown.length < total ? moreLines(total - shown.length) : []), ...after];
}

const moreLines = (count: number): string[] => [`- and ${count} more`];
