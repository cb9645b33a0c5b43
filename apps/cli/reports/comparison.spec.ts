import type { ComparedItem } from '#lib/contracts/comparison';
import { reportLines } from '../output/report-lines.js';
import { escapeMarkdown, reportMarkdown } from '../output/report-markdown.js';
import { markedText } from '../output/terminal.js';
import { changeFacts, comparisonReport, type ShownComparison } from './comparison.js';

const comparisonLines = (one: ShownComparison) =>
  reportLines(comparisonReport(one)).map((line) => markedText(line, false));
const comparisonMarkdown = (all: ShownComparison[]) =>
  all.flatMap((one) => reportMarkdown(comparisonReport(one), all.length));

const HUGE = '|`<@octocat>\n#1 '.repeat(70_000); // 1 MB
const HOSTILE = [
  'a | b',
  '| --- |\n| row | of its own |',
  'line\r\n\r\n# heading\u2028- item',
  '`code` ``` fence ``` ~~~',
  '</details></td></table><script>alert(1)</script><img src=x onerror=alert(1)>',
  '# heading',
  '- item',
  '> quotation',
  '1. item',
  '2) item',
  '---',
  '<!-- hidden',
  '&lt;b&gt; &copy;',
  '@octocat @github/team someone@example.com',
  'fixes #1, octocat/repo#12, GH-7',
  '[click](javascript:alert(1)) ![x](https://evil.example/x.png) https://evil.example www.evil.example',
  '**bold** __bold__ ~~gone~~ $x^2$ \\| \\',
  '{"name": "a_b"}',
  HUGE,
];

describe('a text in Markdown', () => {
  it.each(HOSTILE.map((text) => [text.slice(0, 60), text]))('has no effect: %j', (_shown, text) => {
    const escaped = escapeMarkdown(text);
    expect(escaped).not.toMatch(/[\r\n\u2028<|$]/);
    expect(escaped).not.toMatch(/(?<!\\)(\\\\)*[`*_~[\]]/); // Each follows an odd number of backslashes.
    expect(escaped).not.toMatch(/@[\w-]|:\/\/|www\.|gh-\d/i);
    expect(escaped).not.toMatch(/(?<!&)#\d/);
    expect(escaped).not.toMatch(/&(?!#\d+;)/);
    expect(escaped).not.toMatch(/^(#+ |>|[+-][ -]|\d+[.)] )/);
  });
  it('reads as it was written', () => {
    const shown = (text: string) =>
      escapeMarkdown(text)
        .replaceAll('\u200b', '')
        .replace(/\\([\W_])/g, '$1')
        .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    for (const text of HOSTILE) expect(shown(text)).toBe(text.replace(/\s+/g, ' ').trim());
    expect(escapeMarkdown('get the weather, city: "Paris" - 20 %.')).toBe('get the weather, city: "Paris" - 20 %.');
  });
});

const outcomes = { fixed: 3, broken: 25, better: 0, worse: 0, same_right: 9, same_wrong: 0, same_mixed: 0 };
const estimate = (text: string) => ({
  mean_a: 0.9,
  mean_b: 0.8,
  difference: -0.1,
  ci: [-0.15, -0.0004],
  measure: 'overall',
  text,
});
const side = (name: string) => ({
  called: [{ name, arguments: { [name]: [name] } }],
  explanation: [name, name, name],
});
const comparisonOf = (name: string, { targets = 1, broken = 2 } = {}) =>
  ({
    a: { id: 'run-a', rescore_id: null, suite: { name, version: 1 }, samples: 1, status: 'completed', unmatched: [] },
    b: {
      id: 'run-b',
      rescore_id: 'r',
      suite: { name, version: 2 },
      samples: 3,
      status: 'completed',
      unmatched: [name],
    },
    what_changed: [{ path: `/${name}`, a: null, b: { [name]: name } }],
    notes: [name],
    cases: { common: 37, changed: 2, only_a: 0, only_b: 1, dropped_errored: 0 },
    all: estimate(`${name} is worse.`),
    targets: Array.from({ length: targets }, () => ({
      a: name,
      b: name,
      estimate: estimate(name),
      p_holm: 0.00001,
      outcomes,
    })),
    outcomes,
    cost: { a: 0.5, b: null },
    latency_p50_ms: { a: 10.4, b: null },
    broken: Array.from({ length: broken }, (_, index) => ({
      case_name: index ? name : null,
      prompt: name,
      target_a: name,
      target_b: name,
      expected: { tool: [name, 'other'], params: { [name]: 1 } },
      a: side(name),
      b: side(name),
    })) as unknown as ComparedItem[],
  }) as unknown as ShownComparison;

it('a removed token limit is shown as no limit', () => {
  const changes = [{ path: '/max_tokens', a: 1024, b: null }];
  expect(changeFacts({ what_changed: changes })).toEqual([['Changed', '/max_tokens: 1024 -> no limit']]);
});

describe('a comparison in a pull request', () => {
  it('has a verdict, a table of models, changes, notes and broken cases', () => {
    expect(comparisonMarkdown([comparisonOf('p::x_1')])).toEqual([
      '# p::x\\_1 is worse.',
      '',
      '- Baseline: run-a, p::x\\_1 v1, 1 sample per case, completed',
      '- Now: run-b, p::x\\_1 v2, 3 samples per case, completed, rescore r, not compared: p::x\\_1',
      '- Cases: 37 in common, 2 changed, 1 only in the other run, compared by overall',
      '- Cost: &#36;0.5000 -> unknown, median latency 10 ms -> unknown',
      '- Changed: /p::x\\_1: not set -> {"p::x\\_1":"p::x\\_1"}',
      '- Note: p::x\\_1',
      '',
      '| model | baseline | now | difference (95 %) | p (Holm) | fixed | broken | verdict |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
      '| p::x\\_1 | 90.0 % | 80.0 % | -10 points (-15 to -0.04) | &#60; 0.0001 | 3 | 25 | p::x\\_1 |',
      '',
      '<details><summary>Broken cases: 25 (passed in the baseline, fail now)</summary>',
      '',
      ...[1, 2].flatMap(() => [
        '- **p::x\\_1**',
        '  - Expected: p::x\\_1 or other("p::x\\_1":1)',
        '  - Called: p::x\\_1("p::x\\_1":\\["p::x\\_1"\\])',
        '  - Why: p::x\\_1',
        '  - Why: p::x\\_1',
        '  - Why: p::x\\_1',
      ]),
      '- and 23 more',
      '',
      '</details>',
      '',
    ]);
  });

  it('shows the verdict once if there is one model', () => {
    const comparison = comparisonOf('p::x');
    comparison.targets[0]!.estimate.text = comparison.all.text;
    const [heading, alignment, row] = comparisonMarkdown([comparison]).filter((line) => line.startsWith('|'));
    expect(heading).toMatch(/ fixed \| broken \|$/);
    expect(alignment).toBe('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
    expect(row).toMatch(/ 3 \| 25 \|$/);
    expect(comparisonLines(comparison)).toContain(
      'p::x   90.0 %    80.0 %  -10 points (-15 to -0.04)  < 0.0001  3      25',
    );
  });

  it.each(HOSTILE.map((text) => [text.slice(0, 60), text]))(
    'keeps its structure with names such as %j',
    (_shown, name) => {
      const lines = comparisonMarkdown([comparisonOf(name, { targets: 3 })]);
      expect(lines.filter((line) => line.startsWith('  - Model: '))).toHaveLength(2);
      const rows = lines.filter((line) => line.startsWith('|'));
      expect(rows).toHaveLength(5);
      for (const row of rows) expect(row.split('|')).toHaveLength(10);
      expect(lines.filter((line) => line.startsWith('<'))).toEqual([
        '<details><summary>Broken cases: 25 (passed in the baseline, fail now)</summary>',
        '</details>',
      ]);
      const markup = lines.filter((line) => !line.startsWith('|') && !line.startsWith('<')).join('\n');
      expect(markup).not.toMatch(/[<|]|@[\w-]/);
      for (const line of lines) expect(line).toMatch(/^($|# |\| |- | {2}- |<\/?details)/);
    },
  );

  it('fits into a comment with any names and number of models, and counts what is left out', () => {
    const long = comparisonMarkdown([comparisonOf(HUGE.slice(0, 50_000), { targets: 500, broken: 20 })]).join('\n');
    expect(long.length).toBeLessThan(60_000);
    expect(long).toMatch(/^- and \d+ more$/m);
    const six = Array.from({ length: 5 }, () => comparisonOf(HUGE.slice(0, 50_000), { targets: 9, broken: 20 }));
    expect(comparisonMarkdown(six).join('\n').length).toBeLessThan(60_000);
  });
});

it('on a terminal a comparison has no control characters, whatever the names', () => {
  const hostile = comparisonLines(comparisonOf('\u001b[2J\u202eevil\u0007\r\nline'));
  expect(hostile.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  const lines = comparisonLines(comparisonOf('p::x'));
  expect(lines[0]).toBe('p::x is worse.');
  expect(lines).toContain('p::x   90.0 %    80.0 %  -10 points (-15 to -0.04)  < 0.0001  3      25      p::x');
  expect(lines.at(-1)).toBe('  and 23 more');
});
