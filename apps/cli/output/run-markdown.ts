import { escapeMarkdown, markdownItem, markdownTable, MAX_COMMENT, MAX_SENTENCE, Room } from './markdown.js';
import type { ReportDocument, ReportPart } from './run-report.js';
import { beginning } from './table.js';

/** Kept free for headings, captions and saying how much is left out. */
const RESERVED = 10_000;

/** A report on a run as Markdown, line by line, short enough for a comment. What does not fit into one is counted. */
export function runMarkdown({ title, parts }: ReportDocument): string[] {
  const room = new Room(MAX_COMMENT - RESERVED);
  return [`# ${sentence(title)}`, '', ...parts.flatMap((part) => partLines(part, room))];
}

const sentence = (text: string): string => escapeMarkdown(beginning(text, MAX_SENTENCE));

function partLines(part: ReportPart, room: Room): string[] {
  switch (part.kind) {
    case 'heading':
      return [`${'#'.repeat(part.level)} ${sentence(part.text)}`, ''];
    case 'text':
      return room.fit([[sentence(part.text), '']]);
    case 'notice':
      return room.fit([[`**${sentence(part.text)}**`, '']]);
    case 'facts':
      return [...room.fit(part.facts.map(([name, text]) => [markdownItem(`${name}: ${text}`)])), ''];
    case 'list':
      return [...room.fit(part.items.map((item) => [markdownItem(item)])), ''];
    case 'table':
      return markdownTable(part.cells, room);
    case 'cases': {
      const cases = part.cases.map(({ name, facts }) => [
        `- **${sentence(name)}**`,
        ...facts.map(([what, text]) => `  ${markdownItem(`${what}: ${text}`)}`),
      ]);
      return [...room.fit(cases, cases.length + part.more), ''];
    }
  }
}
