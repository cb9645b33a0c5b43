import { createHash } from 'node:crypto';
import { escapeXml } from '#lib/contracts/xml';
import { byKind, nonEmptyParts, isOfWords, MAX_SENTENCE, type Fact, type Part, type Report } from './report.js';
import { beginning } from './table.js';

/** Characters that reverse the reading direction of the text after them. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes text of servers and models for a page: markup has no effect, and characters not allowed in a page become
 * U+FFFD.
 */
export const escapeHtml = (text: string): string => escapeXml(text.replace(DIRECTIONS, '\ufffd'));

const STYLE = `
:root { color-scheme: light dark; --line: #d0d4da; --quiet: #59616b; --notice: #fff4d6; --edge: #b98900; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3b424b; --quiet: #a2abb6; --notice: #3a2f10; --edge: #d9a520; }
}
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: 0.25rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.15rem 1rem; margin: 0.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: 0.25rem; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
td { white-space: nowrap; }
.words { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
tbody th { font-weight: 600; }
.notice { background: var(--notice); border-left: 0.25rem solid var(--edge); padding: 0.5rem 0.75rem; }
.cases { padding-left: 1.25rem; }
.cases > li { margin-bottom: 1rem; overflow-wrap: anywhere; }
@media print { .wide { overflow: visible; } }
`;

/** A report as one page that loads nothing, runs nothing and links to nothing. */
export function reportHtml(report: Report): string[] {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(report.title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    element('h1', report.title),
    ...nonEmptyParts(report).flatMap(partLines),
    '</main>',
    '</body>',
    '</html>',
  ];
}

const element = (name: string, text: string): string => `<${name}>${escapeHtml(text)}</${name}>`;
const pre = (lines: readonly string[]): string[] => [`<pre>${lines.join('\n')}</pre>`];
const TAGS = { same: undefined, removed: 'del', added: 'ins' } as const;

const partLines = byKind<string[]>({
  heading: ({ level, text }) => [element(`h${level}`, text)],
  text: ({ text }) => [element('p', text)],
  notice: ({ text }) => [`<p class="notice">${escapeHtml(text)}</p>`],
  link: ({ text, href }) => [element('p', `${text}: ${href}`)],
  facts: ({ facts }) => factLines(facts),
  commands: ({ commands }) => pre(commands.map(([, line]) => escapeHtml(line))),
  changes: ({ lines }) =>
    pre(
      lines.map((line) => line.map(({ op, text }) => (TAGS[op] ? element(TAGS[op], text) : escapeHtml(text))).join('')),
    ),
  list: ({ folded, items }) => foldedLines(folded, ['<ul>', ...items.map((item) => element('li', item)), '</ul>']),
  table: (part) => foldedLines(part.folded, tableLines(part)),
  cases: (part) => foldedLines(part.folded, caseLines(part)),
});

const foldedLines = (title: string | undefined, lines: string[]): string[] =>
  title === undefined ? lines : ['<details>', element('summary', title), ...lines, '</details>'];

const caseLines = ({ cases, total }: Extract<Part, { kind: 'cases' }>): string[] => [
  '<ul class="cases">',
  ...cases.flatMap(({ name, facts }) => [`<li><strong>${escapeHtml(name)}</strong>`, ...factLines(facts), '</li>']),
  '</ul>',
  ...(total > cases.length ? [element('p', `and ${total - cases.length} more`)] : []),
];

const factLines = (facts: readonly Fact[]): string[] => [
  '<dl>',
  ...facts.map(([name, text]) => `${element('dt', name)}${element('dd', text)}`),
  '</dl>',
];

/** The model is the heading of its row. A table that is wider than the page scrolls, by keyboard too. */
function tableLines({ caption, cells, notes = [] }: Extract<Part, { kind: 'table' }>): string[] {
  const [names, ...rows] = cells;
  const cell = (text: string, column: number): string => {
    const name = names![column]!;
    const shown = escapeHtml(beginning(text, MAX_SENTENCE));
    if (name === 'model') return `<th scope="row" class="words">${shown}</th>`;
    return `<td${isOfWords(cells, column) ? ' class="words"' : ''}>${shown}</td>`;
  };
  const head = names!.map(
    (name, column) => `<th scope="col"${isOfWords(cells, column) ? ' class="words"' : ''}>${escapeHtml(name)}</th>`,
  );
  return [
    `<div class="wide" role="region" tabindex="0" aria-label="${escapeHtml(caption)}">`,
    '<table>',
    element('caption', caption),
    `<thead><tr>${head.join('')}</tr></thead>`,
    '<tbody>',
    ...rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`),
    '</tbody>',
    '</table>',
    '</div>',
    ...notes.map((note) => element('p', note)),
  ];
}
