import { byKind, nonEmptyParts, type Fact, type Part, type Report } from './report.js';
import { table } from './table.js';
import { printMarked, type MarkedLine } from './terminal.js';

export type Line = string | MarkedLine;

export const printReport = (report: Report): void => printMarked(reportLines(report));

/** A report as lines for a terminal. The caller that prints the lines escapes them. */
export const reportLines = (report: Report): Line[] => [
  report.title,
  ...nonEmptyParts(report).flatMap((part, index, parts) => {
    const needsBlankLine = part.kind === 'heading' || 'folded' in part || !isIntroduction(parts[index - 1]);
    return [...(needsBlankLine ? [''] : []), ...partLines(part)];
  }),
];

/** Content introduced by a title, a heading or a sentence follows without a blank line. */
const isIntroduction = (part: Part | undefined): boolean =>
  part === undefined || ['heading', 'text', 'notice'].includes(part.kind);

const partLines = byKind<readonly Line[]>({
  heading: ({ text }) => [text],
  text: ({ text }) => [text],
  notice: ({ text }) => [text],
  link: ({ text, href }) => [`${text}: ${href}`],
  facts: ({ facts }) => factLines(facts),
  commands: ({ commands }) => factLines(commands),
  changes: ({ lines }) => lines,
  list: ({ folded, items }) => [...titleOf(folded), ...items.map((item) => `  ${item}`)],
  table: ({ folded, cells, notes = [], most = cells.length }) => [
    ...[...titleOf(folded), ...table(cells.slice(0, most + 1))],
    ...[...andMore(cells.length - 1 - most), ...notes],
  ],
  cases: ({ folded, cases, total }) => [
    ...titleOf(folded),
    ...cases.flatMap(({ name, facts }) => [`  ${name}`, ...factLines(facts).map((line) => `      ${line}`)]),
    ...andMore(total - cases.length).map((line) => `  ${line}`),
  ],
});

const titleOf = (folded: string | undefined): string[] => (folded === undefined ? [] : [folded]);

const andMore = (count: number): string[] => (count > 0 ? [`and ${count} more`] : []);

const factLines = (facts: readonly Fact[]): string[] => facts.map(([name, text]) => `${name.padEnd(12)} ${text}`);
