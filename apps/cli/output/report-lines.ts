import { filledParts, type Fact, type Part, type Report } from './report.js';
import { table } from './table.js';
import { printMarked, type MarkedLine } from './terminal.js';

export type Line = string | MarkedLine;

export const printReport = (report: Report): void => printMarked(reportLines(report));

/** A report as lines for a terminal. The caller that prints the lines escapes them. */
export const reportLines = (report: Report): Line[] => [
  report.title,
  ...filledParts(report).flatMap((part, index, parts) => {
    const isApart = part.kind === 'heading' || 'folded' in part || !isSpoken(parts[index - 1]);
    return [...(isApart ? [''] : []), ...partLines(part)];
  }),
];

/** Content introduced by a title, a heading or a sentence follows without a blank line. */
const isSpoken = (part: Part | undefined): boolean =>
  part === undefined || ['heading', 'text', 'notice'].includes(part.kind);

function partLines(part: Part): readonly Line[] {
  switch (part.kind) {
    case 'heading':
    case 'text':
    case 'notice':
      return [part.text];
    case 'link':
      return [`${part.text}: ${part.href}`];
    case 'facts':
      return factLines(part.facts);
    case 'commands':
      return factLines(part.commands);
    case 'changes':
      return part.lines;
    default:
      return listLines(part);
  }
}

function listLines(part: Extract<Part, { kind: 'list' | 'table' | 'cases' }>): string[] {
  const title = part.folded === undefined ? [] : [part.folded];
  if (part.kind === 'list') return [...title, ...part.items.map((item) => `  ${item}`)];
  if (part.kind === 'table') {
    const { cells, notes = [], most = cells.length } = part;
    return [...title, ...table(cells.slice(0, most + 1)), ...andMore(cells.length - 1 - most), ...notes];
  }
  const cases = part.cases.flatMap(({ name, facts }) => [
    `  ${name}`,
    ...factLines(facts).map((line) => `      ${line}`),
  ]);
  return [...title, ...cases, ...andMore(part.total - part.cases.length).map((line) => `  ${line}`)];
}

const andMore = (count: number): string[] => (count > 0 ? [`and ${count} more`] : []);

const factLines = (facts: readonly Fact[]): string[] => facts.map(([name, text]) => `${name.padEnd(12)} ${text}`);
