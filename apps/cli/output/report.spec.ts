import { reportHtml } from './report-html.js';
import { reportLines } from './report-lines.js';
import { reportMarkdown } from './report-markdown.js';
import { factsPart, heading, notice, text, type Part } from './report.js';
import { markedText } from './terminal.js';

/** Each kind of part, with the output of the three renderers. */
const CASES: [kind: string, part: Part, lines: string[], markdown: string[], html: string[]][] = [
  ['heading', heading('A', 3), ['', 'A'], ['### A', ''], ['<h3>A</h3>']],
  ['text', text('a & b'), ['a & b'], ['a &#38; b', ''], ['<p>a &#38; b</p>']],
  [
    'table with a figure that is called as a column of words is',
    {
      kind: 'table',
      caption: 'T',
      cells: [
        ['model', 'state'],
        ['m', '0.938'],
      ],
    },
    ['model  state', 'm      0.938'],
    ['| model | state |', '| --- | ---: |', '| m | 0.938 |', ''],
    [
      ...['<div class="wide" role="region" tabindex="0" aria-label="T">', '<table>', '<caption>T</caption>'],
      '<thead><tr><th scope="col" class="words">model</th><th scope="col">state</th></tr></thead>',
      ...['<tbody>', '<tr><th scope="row" class="words">m</th><td>0.938</td></tr>', '</tbody>', '</table>', '</div>'],
    ],
  ],
  ['notice', notice('Mind.'), ['Mind.'], ['**Mind.**', ''], ['<p class="notice">Mind.</p>']],
  [
    'facts',
    factsPart([['Suite', 'S']]),
    ['Suite        S'],
    ['- Suite: S', ''],
    ['<dl>', '<dt>Suite</dt><dd>S</dd>', '</dl>'],
  ],
  [
    'list that is folded',
    { kind: 'list', items: ['x'], folded: 'Items: 1' },
    ['', 'Items: 1', '  x'],
    ['<details><summary>Items: 1</summary>', '', '- x', '', '</details>', ''],
    ['<details>', '<summary>Items: 1</summary>', '<ul>', '<li>x</li>', '</ul>', '</details>'],
  ],
  [
    'cases',
    { kind: 'cases', cases: [{ name: 'c', facts: [['Called', 'f()']] }], total: 3 },
    ['  c', '      Called       f()', '  and 2 more'],
    ['- **c**', '  - Called: f()', '- and 2 more', ''],
    [
      ...['<ul class="cases">', '<li><strong>c</strong>', '<dl>', '<dt>Called</dt><dd>f()</dd>', '</dl>', '</li>'],
      ...['</ul>', '<p>and 2 more</p>'],
    ],
  ],
  [
    'list of cases that are all shown elsewhere',
    { kind: 'cases', cases: [], total: 3 },
    ['  and 3 more'],
    ['- and 3 more', ''],
    ['<ul class="cases">', '</ul>', '<p>and 3 more</p>'],
  ],
  [
    'commands',
    { kind: 'commands', commands: [['Run it', 'toolmark run `x`']], elsewhere: 'toolmark show' },
    ['Run it       toolmark run `x`'],
    ['```sh', 'toolmark run `x`', '```', ''],
    ['<pre>toolmark run `x`</pre>'],
  ],
  [
    'changes',
    {
      kind: 'changes',
      lines: [
        [{ op: 'same', text: 'p' }],
        [
          { op: 'same', text: '  ' },
          { op: 'added', text: '<b>' },
        ],
      ],
    },
    ['p', '  {+<b>+}'],
    ['- **p**', '  - <ins>&#60;b></ins>', ''],
    ['<pre>p', '  <ins>&#60;b&#62;</ins></pre>'],
  ],
  [
    'link',
    { kind: 'link', text: 'The run', href: 'https://x.example/' },
    ['The run: https://x.example/'],
    ['[The run](<https://x.example/>)', ''],
    ['<p>The run: https://x.example/</p>'],
  ],
];

it.each(CASES)('a %s is rendered for a terminal, as Markdown and as HTML', (_kind, part, lines, markdown, html) => {
  const report = { title: 'T', parts: [part] };
  expect(reportLines(report).map((line) => markedText(line, false))).toEqual(['T', ...lines]);
  expect(reportMarkdown(report)).toEqual(['# T', '', ...markdown]);
  expect(reportHtml(report).join('\n')).toContain(['<h1>T</h1>', ...html, '</main>'].join('\n'));
});

it('a long table shows its first rows on a terminal, with notes on its columns below', () => {
  const cells = [['model', 'n'], ...Array.from({ length: 3 }, (_, n) => [`m${n}`, String(n)])];
  const part: Part = { kind: 'table', caption: 'C', cells, notes: ['n: a number'], most: 1 };
  const lines = reportLines({ title: 'T', parts: [part] });
  expect(lines).toEqual(['T', 'model  n', 'm0     0', 'and 2 more', 'n: a number']);
});

it('empty parts are left out, and parts without an introduction follow a blank line', () => {
  const parts = [text(''), factsPart([]), text('a'), factsPart([['F', 'f']]), notice('b'), heading('H')];
  expect(reportLines({ title: 'T', parts })).toEqual(['T', 'a', 'F            f', '', 'b', '', 'H']);
});

it('the parts of an overlong comment share its space, and count what they leave out', () => {
  const long = factsPart(Array.from({ length: 500 }, (_, n) => [`F${n}`, 'x'.repeat(500)]));
  const lines = reportMarkdown({ title: 'T', parts: [long, text('short'), long] });
  expect(lines.join('\n').length).toBeLessThan(60_000);
  expect(lines).toContain('short');
  expect(lines.filter((line) => /^- and 4\d\d more$/.test(line))).toHaveLength(2);
});
