import { createHash } from 'node:crypto';
import { escapeXml } from '#lib/contracts/xml';
import { WORD_COLUMNS } from './markdown.js';
import type { ReportDocument, ReportPart } from './run-report.js';
import { beginning } from './table.js';
import type { Fact } from './tune-report.js';

/** Marks that reverse the reading direction of what stands behind them. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of servers and models for a page: markup has no effect, and what no page can hold becomes U+FFFD. */
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

/** A report on a run as one page that loads nothing, runs nothing and links to nothing. */
export function runHtml({ title, parts }: ReportDocument): string[] {
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
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    element('h1', title),
    ...parts.flatMap(partLines),
    '</main>',
    '</body>',
    '</html>',
  ];
}

const element = (name: string, text: string): string => `<${name}>${escapeHtml(text)}</${name}>`;

function partLines(part: ReportPart): string[] {
  switch (part.kind) {
    case 'heading':
      return [element(`h${part.level}`, part.text)];
    case 'text':
      return [element('p', part.text)];
    case 'notice':
      return [`<p class="notice">${escapeHtml(part.text)}</p>`];
    case 'facts':
      return factLines(part.facts);
    case 'list':
      return ['<ul>', ...part.items.map((item) => element('li', item)), '</ul>'];
    case 'table':
      return tableLines(part.caption, part.cells);
    case 'cases':
      return [
        '<ul class="cases">',
        ...part.cases.flatMap(({ name, facts }) => [
          `<li><strong>${escapeHtml(name)}</strong>`,
          ...factLines(facts),
          '</li>',
        ]),
        '</ul>',
        ...(part.more > 0 ? [element('p', `and ${part.more} more`)] : []),
      ];
  }
}

const factLines = (facts: readonly Fact[]): string[] => [
  '<dl>',
  ...facts.map(([name, text]) => `${element('dt', name)}${element('dd', text)}`),
  '</dl>',
];

const MAX_CELL = 1000;

/** The model is the heading of its row. A table that is wider than the page is scrolled, by keyboard too. */
function tableLines(caption: string, cells: readonly string[][]): string[] {
  const [names, ...rows] = cells;
  if (rows.length === 0) return [];
  const cell = (text: string, column: number): string => {
    const name = names![column]!;
    const shown = escapeHtml(beginning(text, MAX_CELL));
    if (name === 'model') return `<th scope="row" class="words">${shown}</th>`;
    return `<td${WORD_COLUMNS.has(name) ? ' class="words"' : ''}>${shown}</td>`;
  };
  const head = names!.map(
    (name) => `<th scope="col"${WORD_COLUMNS.has(name) ? ' class="words"' : ''}>${escapeHtml(name)}</th>`,
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
  ];
}
