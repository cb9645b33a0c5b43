import { changeTexts, MAX_TEXT } from './comparison-texts.js';
import { brokenCount, brokenOf, gateFacts, gateTable, headline, targetTexts, type GateReport } from './gate-report.js';
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

/** Kept free for the marker, headings, the link, and for saying how much is left out. */
const RESERVED = 4000;
const MAX_LINK = 1000;

/**
 * What a gate says, for a pull request, line by line. The first line marks the comment of this gate, so that the next
 * one can replace it.
 */
export function gateMarkdown(report: GateReport): string[] {
  const { answer, link } = report;
  const room = new Room(MAX_COMMENT - RESERVED);
  const sentence = (text: string): string => escapeMarkdown(beginning(text, MAX_SENTENCE));
  const items = (texts: readonly string[]): string[] =>
    room.fit(texts.map((text) => [markdownItem(beginning(text, MAX_TEXT))]));
  const facts = gateFacts({ ...report, link: undefined }).filter(([name]) => name !== 'Changed');
  const changes = changeTexts(answer);
  return [
    commentMarker(answer.gate.id),
    ...room.fit([[`**${sentence(headline(answer))}** ${sentence(answer.text)}`, '']]),
    ...markdownTable(gateTable(answer), room),
    ...items(targetTexts(answer)),
    ...items(facts.map(([name, text]) => `${name}: ${text}`)),
    ...(changes.length ? ['', 'What changed:', '', ...items(changes)] : []),
    ...brokenDetails(brokenOf(report), brokenCount(answer), room),
    ...(link === undefined || link.length > MAX_LINK ? [] : ['', `[The run at the server](<${link}>)`]),
  ];
}

/** Invisible in a comment. An id has nothing else in it than letters, digits and hyphens. */
const commentMarker = (gateId: string): string => `<!-- toolmark:${gateId.replaceAll(/[^\da-z-]/gi, '')} -->`;
