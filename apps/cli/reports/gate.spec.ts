import { parsers } from 'prettier/plugins/markdown';
import { CASE_OUTCOMES } from '#lib/contracts/values/comparison';
import { GATE_RESULTS } from '#lib/contracts/values/gates';
import { GateAnswer, type GateResult } from '#lib/gate/contract';
import { reportLines } from '../output/report-lines.js';
import { reportMarkdown } from '../output/report-markdown.js';
import { MAX_NAME, MAX_TEXT } from '../output/report.js';
import { beginning } from '../output/table.js';
import { markedText } from '../output/terminal.js';
import { gateJunit, unansweredJunit } from './gate-junit.js';
import { gateReport, type GateCase, type GateReport } from './gate.js';

const ID = '019aa8a2-5c1e-7000-8000-0000000000';
const target = (name: string, result: GateResult) => ({
  target: name,
  baseline_target: name,
  result,
  reason: 'undecided' as const,
  text: `${name} is ${result}.`,
  n_cases: 40,
  samples: [1, 1] as [number, number],
  mean_a: 0.9,
  mean_b: 0.8,
  difference: -0.1,
  ci: [-0.15, -0.0004] as [number, number],
  p: 0.01,
  p_holm: 0.01,
  pass_rate: 0.8,
  pass_rate_ci: [0.7, 0.9] as [number, number],
  errored_shares: [0, 0.025] as [number, number],
  fixed: 1,
  broken: 25,
  cost: { a: 0.5, b: null },
  critical: [],
  cases_needed: null,
});
const answerOf = (result: GateResult, name = 'p::x', targets = 1) =>
  GateAnswer.parse({
    gate: { id: `${ID}01`, name, version: 3, measure: name.slice(0, 200), margin: 0.02 },
    eval_id: `${ID}02`,
    baseline_eval_id: `${ID}03`,
    result,
    text: `${name} decides.`,
    look: { number: 2, planned: 4, alpha: 0.016, final: false },
    targets: Array.from({ length: targets }, (_, index) => target(index ? `${name}${index}` : name, result)),
    cases: { common: 40, changed: 2, only_a: 1, only_b: 0, dropped_errored: 0 },
    what_changed: [{ path: `/${name}`, a: null, b: { [name]: name } }],
    notes: [name],
  });
/** In the form read from a server: shortened for display. */
const caseOf = (state: GateCase['state'], name: string): GateCase => ({
  name: beginning(name, MAX_NAME),
  target: name,
  state,
  samples: '0 of 1 passed',
  expected: beginning(name, MAX_TEXT),
  called: beginning(name, MAX_TEXT),
  explanation: [name, name].map((sentence) => beginning(sentence, MAX_TEXT)),
});
const STATES: GateCase['state'][] = [...CASE_OUTCOMES, 'errored'];
const casesOf = (name: string) => STATES.map((state) => caseOf(state, name));
const reportOf = (answer: GateAnswer, name = 'p::x', broken = 2): GateReport => ({
  answer,
  broken: Array.from({ length: broken }, () => caseOf('broken', name)),
  link: `https://toolmark.example/api/tool-eval/history/${ID}02`,
});

const gateLines = (report: GateReport) => reportLines(gateReport(report)).map((line) => markedText(line, false));
const gateMarkdown = (report: GateReport) => reportMarkdown(gateReport(report));

const HOSTILE = [
  '</testcase></testsuite><testsuite tests="0">',
  ']]> <![CDATA[ x ]]> &amp; &lt; <!DOCTYPE x [<!ENTITY a "b">]> %a; &a;',
  '--> <!-- toolmark:019aa8a2 --> <!--',
  'a | b\n| --- |\n| row | of its own |',
  '"quoted" \'single\' name="x"',
  '@octocat @github/team a@example.com fixes #1 octocat/repo#12 GH-7 !12',
  '[click](javascript:alert(1)) ![x](https://evil.example/x.png) <https://evil.example> www.evil.example [^1]: x',
  '\n</details>\n\n# heading\n\n- item\n\n```\ncode\n~~~',
  '<script>alert(1)</script><img src=x onerror=alert(1)><details open>',
  '\u0000\u0007\u001b[2J\u001b]0;title\u0007\u009b31m\u007f\ufffe\uffff\u202eevil\r\nline\u2028',
  'half \ud800 and \udc00, whole \ud83d\ude00',
  '/close\n/approve',
  `|<@x>&"'\u001b]]>`.repeat(8000), // 100,000 characters
];
const named = HOSTILE.map((text) => [JSON.stringify(text).slice(0, 50), text] as const);

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
}
const decoded = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

/** A minimal XML parser for the reports. @throws Error if the XML is not well-formed */
function readXml(text: string): Element {
  const [declaration, ...lines] = text.split('\n');
  expect(declaration).toBe('<?xml version="1.0" encoding="UTF-8"?>');
  const root: Element = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  const body = lines.join('\n');
  const token = /<(\/?)([a-z-]+)((?: [a-z]+="(?:[^"<>&\u0000-\u001f]|&#\d+;)*")*)(\/?)>|((?:[^<>&]|&#\d+;)+)/y;
  while (token.lastIndex < body.length) {
    const from = token.lastIndex;
    const found = token.exec(body);
    if (!found) throw new Error(`not well-formed: ${body.slice(from, from + 100)}`);
    const [, end, name, attributes, empty, content] = found;
    if (content !== undefined) open.at(-1)!.text += decoded(content);
    else if (end) expect(open.pop()!.name).toBe(name);
    else {
      const pairs = [...attributes!.matchAll(/ ([a-z]+)="([^"]*)"/g)];
      const element: Element = {
        name: name!,
        attributes: Object.fromEntries(pairs.map(([, key, value]) => [key!, decoded(value!)])),
        text: '',
        children: [],
      };
      open.at(-1)!.children.push(element);
      if (!empty) open.push(element);
    }
  }
  expect(open).toEqual([root]);
  expect(body).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/);
  expect(body.isWellFormed()).toBe(true);
  return root.children[0]!;
}
const childNames = ({ children }: Element) => children.map(({ name }) => name);

describe('a gate as JUnit', () => {
  const junit = (result: GateResult, name = 'p::x', cut = false) =>
    readXml(gateJunit(answerOf(result, name), casesOf(name), cut));

  it('has a test suite for each model and one for the gate, with their counts', () => {
    const { attributes, children } = junit('fail');
    expect(attributes).toEqual({ name: 'toolmark gate p::x', tests: '11', failures: '3', errors: '1', skipped: '2' });
    expect(children.map((suite) => suite.attributes)).toEqual([
      { name: 'p::x', tests: '8', failures: '2', errors: '1', skipped: '0' },
      { name: 'gate', tests: '3', failures: '1', errors: '0', skipped: '2' },
    ]);
    for (const suite of children)
      expect(suite.children.filter(({ name }) => name === 'testcase')).toHaveLength(Number(suite.attributes.tests));
  });

  it('fails broken and worse cases of a failed gate, with expected and actual calls', () => {
    const [model] = junit('fail').children;
    const failed = model!.children.filter((test) => test.children[0]?.name === 'failure');
    expect(failed.map((test) => test.children[0]!.attributes.type)).toEqual(['broken', 'worse']);
    expect(failed[0]!.children[0]!.text).toBe('broken: 0 of 1 passed\nexpected p::x\ncalled p::x\np::x\np::x');
  });

  it.each(['pass', 'inconclusive', 'not_measured'] as const)(
    'fails no case if the result of the gate is %s',
    (result) => {
      const { children, attributes } = junit(result);
      expect(attributes.failures).toBe('0');
      const told = children[0]!.children.filter((test) => test.children[0]?.name === 'system-out');
      expect(told.map((test) => test.children[0]!.text.split(':')[0])).toEqual(['broken', 'worse']);
    },
  );

  it.each([
    ['pass', ['system-out']],
    ['fail', ['failure']],
    ['not_measured', ['error']],
    ['inconclusive', ['skipped', 'system-out']],
  ] as const)('says of a gate that is %s: %j', (result, names) => {
    expect(childNames(junit(result).children.at(-1)!.children.at(-1)!)).toEqual(names);
  });

  it('reports errored cases as errors, and cases that were not compared as skipped', () => {
    const [model, gate] = junit('pass').children;
    expect(model!.children.flatMap(childNames)).toEqual(['system-out', 'system-out', 'error']);
    expect(gate!.children.slice(0, -1).map((test) => test.children[0]!.attributes.message)).toEqual([
      '2 cases changed: not compared',
      '1 case only in the baseline: not compared',
    ]);
  });

  it('has one errored test if the gate gave no answer', () => {
    const { attributes, children } = readXml(unansweredJunit('ma<in>', 'No case of the suite has the tag "x\u0000".'));
    expect(attributes).toEqual({ name: 'toolmark gate ma<in>', tests: '1', failures: '0', errors: '1', skipped: '0' });
    expect(childNames(children[0]!.children[0]!)).toEqual(['error']);
  });

  it('reports that cases are left out', () => {
    expect(childNames(junit('pass').children.at(-1)!)).not.toContain('system-out');
    expect(junit('pass', 'p::x', true).children.at(-1)!.children.at(-1)!.text).toMatch(/too many cases/);
  });

  it.each(named)('keeps its structure with %s in every text', (_shown, text) => {
    const form = ({ name, children }: Element): unknown => [name, children.map(form)];
    for (const result of GATE_RESULTS) expect(form(junit(result, text))).toEqual(form(junit(result)));
    const shown = junit('fail', text).children[0]!.children[0]!.attributes.name!;
    const written = text.toWellFormed().replaceAll(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd');
    expect(written.startsWith(shown.replace(/…$/, ''))).toBe(true);
  });
});

/** The names of the nodes found by a parser of GitHub's Markdown, without texts. */
function markdownForm(text: string): unknown {
  interface Node {
    type: string;
    value?: string;
    children?: Node[];
  }
  const form = ({ type, value, children }: Node): unknown => {
    if (type === 'html') return value;
    return [type, ...(children ?? []).filter((node) => !['text', 'sentence', 'break'].includes(node.type)).map(form)];
  };
  return form(parsers.markdown!.parse(text, {} as never) as Node);
}

test('a gate with floors of metrics shows each of them, whichever rule decided', () => {
  const answer = answerOf('inconclusive');
  const floor = (name: string, mean: number, ci: [number, number]) => ({ name, minimum: 0.9, mean, ci });
  answer.targets[0]!.floors = [
    floor('conversation.state', 0.3, [0.1, 0.5]),
    floor('conversation.answer', 0.95, [0.8, 1]),
    floor('f1', 1, [0.92, 1]),
  ];
  const lines = gateLines(reportOf(answer));
  const rows = lines.filter((line) => /^p::x .*90\.0 % .* to [\d.]+ %$/.test(line)).map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ['p::x', 'conversation.state', 'missed', '90.0 %', '30.0 %', '10.0 % to 50.0 %'],
    ['p::x', 'conversation.answer', 'undecided', '90.0 %', '95.0 %', '80.0 % to 100.0 %'],
    ['p::x', 'f1', 'reached', '90.0 %', '100.0 %', '92.0 % to 100.0 %'],
  ]);
});

describe('a gate in a pull request', () => {
  it('has its marker, the result, a row per model, facts, changes, broken cases and a link', () => {
    expect(gateMarkdown(reportOf(answerOf('fail')))).toEqual([
      `<!-- toolmark:${ID}01 -->`,
      '# Gate p::x v3: failed.',
      '',
      'p::x decides.',
      '',
      '| model | result | baseline | now | difference (98.4 %) | fixed | broken | errored | cost |',
      '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
      '| p::x | failed | 90.0 % | 80.0 % | -10 points (-15 to -0.04) | 1 | 25 | 0.0 % -> 2.5 % | &#36;0.5000 -> - |',
      '',
      '- p::x: p::x is fail.',
      '',
      `- Baseline: ${ID}03`,
      `- Run: ${ID}02`,
      '- Cases: 40 in common, 2 changed, 1 only in the baseline, compared by p::x',
      '- Margin: 2 points, fixed with the gate',
      '- Looks: 2 of 4 used',
      '- Changed: /p::x: not set -> {"p::x":"p::x"}',
      '- Note: p::x',
      '',
      '<details><summary>Broken cases: 25 (passed in the baseline, fail now)</summary>',
      '',
      ...[1, 2].flatMap(() => [
        '- **p::x**',
        '  - Expected: p::x',
        '  - Called: p::x',
        '  - Why: p::x',
        '  - Why: p::x',
      ]),
      '- and 23 more',
      '',
      '</details>',
      '',
      `[The run at the server](<https://toolmark.example/api/tool-eval/history/${ID}02>)`,
      '',
    ]);
  });

  it.each(named)('has the same structure with %s in every text', (_shown, text) => {
    const plain = gateMarkdown(reportOf(answerOf('fail', 'plain', 3), 'plain'));
    const lines = gateMarkdown(reportOf(answerOf('fail', text, 3), text));
    expect(lines).toHaveLength(plain.length);
    expect(lines[0]).toBe(plain[0]);
    expect(markdownForm(lines.join('\n'))).toEqual(markdownForm(plain.join('\n')));
    const own = lines.slice(1, -2).join('\n');
    expect(own).not.toMatch(/<(?!\/?(details|summary)>)/);
    expect(own).not.toMatch(/@[\w-]|(?<!&)[#!]\d|:\/\/|www\.|gh-\d/i);
    expect(own).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(own.isWellFormed()).toBe(true);
  });

  it('stays below 60,000 characters with any content', () => {
    const long = 'p::"|`*<@x'.repeat(10_000);
    const answer = answerOf('fail', long, 300);
    answer.notes = Array.from({ length: 50 }, () => long);
    answer.what_changed = Array.from({ length: 200 }, () => ({ path: long, a: long, b: long }));
    const text = gateMarkdown(reportOf(answer, long, 20)).join('\n');
    expect(text.length).toBeLessThan(60_000);
    expect(text).toMatch(/^- and \d+ more$/m);
  });

  it('has only the marker of its gate, whatever the gate is named', () => {
    const answer = answerOf('pass');
    answer.gate.id = '1 --> @octocat <!--';
    expect(gateMarkdown(reportOf(answer))[0]).toBe('<!-- toolmark:1--octocat-- -->');
  });
});

describe('a gate on a terminal', () => {
  it('has the result, its basis, a line per model and the broken cases', () => {
    const lines = gateLines(reportOf(answerOf('inconclusive', 'p::x', 2)));
    expect(lines.slice(0, 2)).toEqual(['Gate p::x v3: inconclusive.', 'p::x decides.']);
    expect(lines).toContain('Looks        2 of 4 used');
    expect(lines).toContain('  p::x');
    expect(lines).toContain('      Model        p::x');
    expect(lines.slice(-3)).toEqual(['  and 48 more', '', expect.stringMatching(/^The run at the server: https:/)]);
  });
  it.each(named)('has no control characters with %s in every text', (_shown, text) => {
    expect(gateLines(reportOf(answerOf('fail', text), text)).join('')).not.toMatch(
      /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
    );
  });
});
