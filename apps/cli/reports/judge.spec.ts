import { CALIBRATION_STATUSES, JudgeInput, type Judgement, type JudgeReport } from '#lib/judge/contract';
import type { Ranking } from '#lib/contracts/ranking';
import type { Result } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import { terminalOverflows } from '../../../test/terminal-overflow.js';
import type { RunReport } from '../lookup/read-run-report.js';
import { labelScreen } from '../output/label-screen.js';
import { judgeScreen } from '../output/judge-screen.js';
import { escapeHtml, reportHtml } from '../output/report-html.js';
import { reportLines } from '../output/report-lines.js';
import { reportMarkdown } from '../output/report-markdown.js';
import type { Report } from '../output/report.js';
import { markedText } from '../output/terminal.js';
import {
  calibrationReport,
  judgementsTable,
  judgeReport,
  reportsTable,
  settingReport,
  type Disagreement,
} from './judge.js';
import { runReport, settingsText } from './run.js';

const linesOf = (report: Report) => reportLines(report).map((line) => markedText(line, false));
const judgeLines = (report: JudgeReport, disagreements?: Disagreement[]) => linesOf(judgeReport(report, disagreements));

const UNCALIBRATED = 'Uncalibrated: 12 of 100 labels, usable from 50; people have not confirmed this judge.';
const RUN_ID = '019aa8a2-5c1e-7000-8000-000000000031';
const BASELINE_ID = '019aa8a2-5c1e-7000-8000-000000000032';

/** A report with the same text in every field written by a user, a server or a model. */
function reportOf(text = 'x', more: Partial<JudgeReport> = {}): JudgeReport {
  const figures = {
    ...{ judged: 9, errored: 1, share_ok: 0.5, share_ok_ci: [0.3, 0.7] as [number, number] },
    ...{ kappa: -0.001, kappa_ci: [-0.2, 0.2] as [number, number] },
  };
  return {
    ...{ id: 'report-1', root_id: 'report-1', version: 2, job_id: 'job-1', status: 'completed', error: null },
    ...{ eval_id: RUN_ID, baseline_eval_id: null, experiment_id: null },
    ...{ judge: `p::${text}`.slice(0, 300), source: 'user', self_judged: false },
    input: { ...JudgeInput.parse({ eval_id: RUN_ID, below: 0.5 }), instructions: text },
    ...{ items: 10, ...figures },
    targets: [
      {
        ...{ target: text, ...figures, counts: { correct: 3, acceptable: 1, wrong: 4, cannot_tell: 1 } },
        ...{ kinder: 25, stricter: 1, expectation_at_fault: 1, suspicious: 1 },
      },
    ],
    pairs: [],
    ...{ strengths: [text], weaknesses: [text], recommendations: [text] },
    calibration: { status: 'uncalibrated', labels: 12, kappa: null, ci: null, text: UNCALIBRATED },
    usage: { requests: 12, prompt_tokens: 3000, completion_tokens: 400 },
    ...{ cost_usd: 0.01, notes: [text], created_at: '2026-11-24T00:00:00.000Z', finished_at: null },
    ...more,
  };
}
const PAIR = {
  ...{ a: 'p::a', b: 'p::b', wins: 6, losses: 2, ties: 3, position_flips: 1, errored: 0 },
  ...{ preference: 0.75, preference_ci: [0.41, 0.93] as [number, number], can_tell: true },
  text: 'It is undecided which the judge prefers.',
};
const comparison = reportOf('x', { baseline_eval_id: BASELINE_ID, targets: [], pairs: [PAIR] });

const judgementOf = (position: number, text = 'x', more: Partial<Judgement> = {}): Judgement => ({
  ...{ position, eval_id: RUN_ID, result_id: `0-${position}-0`, other_result_id: null, target: text },
  ...{ case_id: `case-${position}`, case_name: position % 2 ? text : null, prompt: text, passed: false },
  state: 'judged',
  judged: {
    ...{ verdict: 'acceptable', tool: 'acceptable_alternative', arguments: 'equivalent', reasons: [text] },
    ...{ expectation_at_fault: true, expectation_note: text },
  },
  ...{ preference: null, flipped: false, reasons: [text], agreement: 'kinder', suspicious: true, votes: {} },
  ...{ label: null, error: null, usage: { prompt_tokens: 1, completion_tokens: 1 }, cost_usd: null },
  ...more,
});
const disagreementsOf = (text = 'x'): Disagreement[] => [
  { kind: 'expectation_at_fault', total: 1, judgements: [judgementOf(1, text)] },
  { kind: 'kinder', total: 25, judgements: [judgementOf(1, text), judgementOf(2, text)] },
];

const summaryOf = (target: string): Summary =>
  ({
    ...{ target, overall: 0.8, overall_ci: [0.7, 0.9], ci_method: 't_pseudo_cases', passed: 8, scored: 9, errored: 1 },
    ...{ cost_usd: 0.02, error_counts: { none: 8, wrong_argument: 1, errored: 1 } },
  }) as unknown as Summary;
/** A run with its failures and judges, with the same text everywhere. */
const runReportOf = (text = 'x', judges: RunReport['judges'] = []): RunReport => ({
  run: {
    ...{ id: RUN_ID, name: text, note: text, submitted_by: text, status: 'completed', created_at: 'now' },
    suite: { id: 'suite-1', name: text, version: 3 },
    config: { temperature: 0.5, samples: 1, cache: 'off', system_prompt: text, models: [] },
    counts: { total: 20, settled: 20, errored: 1, passed: 8 },
    summaries: [summaryOf(text)],
    actual: { cost_usd: 0.02 },
    warnings: [{ code: text, message: text, at: null }],
  } as unknown as Run,
  ranking: { text, items: [{ target: text, rank: [1, 1] }] } as Ranking,
  failures: [
    {
      ...{ id: '0-3-0', target: text, case_name: text, prompt: text, error_type: 'wrong_argument' },
      expected: { tool: text, params: { [text]: text } },
      called: [{ name: text, arguments: { [text]: text } }],
    } as unknown as Result,
  ],
  judges,
});
const judged = (text = 'x') =>
  runReportOf(text, [
    { report: reportOf(text), disagreements: disagreementsOf(text) },
    { report: { ...comparison, judge: text }, disagreements: [] },
  ]);

const HUGE = '|`<@octocat>\n#1 '.repeat(70_000); // 1 MB
const HOSTILE = [
  'a | b',
  '| --- |\n| row | of its own |',
  'line\r\n\r\n# heading\u2028- item',
  '`code` ``` fence ``` ~~~',
  '</dd></dl></li></ul></td></table></main><script>alert(1)</script><img src=x onerror=alert(1)>',
  '"><style>*{display:none}</style><link rel=stylesheet href=https://evil.example><meta http-equiv=refresh>',
  '<!-- hidden',
  '&lt;b&gt; &copy; &amp;',
  '@octocat @github/team someone@example.com fixes #1',
  '[click](javascript:alert(1)) ![x](https://evil.example/x.png) https://evil.example www.evil.example',
  '**bold** | \\| \\',
  '\u001b[2J\u001b]0;title\u0007\u009b31m\u202eevil\u2066\u0000',
  'half \ud800',
  '東京 😀 👩‍👩‍👧 '.repeat(50),
  HUGE,
];
const named = HOSTILE.map((text) => [JSON.stringify(text).slice(0, 50), text] as const);
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('a judge report on a terminal', () => {
  it('has the calibration, the settings and the figures', () => {
    expect(judgeLines(reportOf('model', { judge: 'p::judge' }))).toEqual([
      'Report report-1 v2 is completed (job job-1).',
      UNCALIBRATED,
      'Judge        p::judge',
      `Judges       failed results of run ${RUN_ID} that scored below 50.0 %`,
      'How          each once, with the expectation of the case as a reference',
      'Instructions model',
      'Judged       9 of 10, 1 errored',
      'Took         12 requests, 3000 + 400 tokens, cost $0.0100',
      'Note         model',
      '',
      'model  judged  errored  correct  acceptable  wrong  cannot tell  ok (95 %)              kappa (95 %)          ' +
        'kinder  stricter  expectation at fault  suspicious',
      'model  9       1        3        1           4      1            50.0 % (30.0 to 70.0)  0.00 (-0.20 to 0.20)  ' +
        '25      1         1                     1',
      'ok: correct or acceptable, among results that the judge could decide. kappa: agreement with pass and fail, ' +
        '1 if full and 0 if by chance. Judgements do not change scores.',
      ...['', 'Strengths', '  model', '', 'Weaknesses', '  model', '', 'Recommendations', '  model', ''],
      'Look at it   toolmark judges show report-1 --disagreements',
      `Calibrate it toolmark label ${RUN_ID} --judge p::judge`,
    ]);
  });

  it('has a row for all models if there are several, and no rows if nothing is judged', () => {
    const [one] = reportOf('p::a').targets;
    const lines = judgeLines(reportOf('p::a', { targets: [one!, { ...one!, target: 'p::b' }] }));
    expect(lines.filter((line) => /^(p::a|p::b|all) /.test(line))).toHaveLength(3);
    expect(lines).toContainEqual(expect.stringMatching(/^all +9 +1 +6 +2 +8 +2 +50\.0 % .* 50 +2 +2 +2$/));
    const nothing = judgeLines(reportOf('x', { targets: [], judged: 0, kappa: null, share_ok: null }));
    expect(nothing).toContain('No results are judged yet.');
    expect(nothing.join('\n')).not.toMatch(/Look at it/);
  });

  it('shows the wins of a comparison, and whether they are significant', () => {
    const lines = judgeLines(comparison);
    expect(lines).toContain(`Judges       run ${RUN_ID} against the baseline ${BASELINE_ID}`);
    const at = lines.findIndex((line) => line.startsWith('model '));
    expect(at).toBeGreaterThan(lines.indexOf(UNCALIBRATED));
    expect(lines.slice(at, at + 3)).toEqual([
      'model  against  wins  losses  ties  flips  errored  preferred (95 %)',
      'p::b   p::a     6     2       3     1      0        75.0 % (41.0 to 93.0)',
      PAIR.text,
    ]);
    expect(lines.join('\n')).not.toMatch(/Calibrate it/);
  });

  it('shows why it stopped, and that the judge judges its own kind', () => {
    const lines = judgeLines(reportOf('x', { status: 'failed', error: 'The model is gone.', self_judged: true }));
    expect(lines).toContain('Stopped      The model is gone.');
    expect(lines).toContain('Judge        p::x, which judges a model of its own kind');
  });

  it('lists each disagreement once, expectations at fault first, and counts the rest', () => {
    const all = judgeLines(reportOf(), disagreementsOf());
    const [from, to] = ['The judge finds', 'Look at it'].map((text) => all.findIndex((line) => line.startsWith(text)));
    const lines = all.slice(from, to! - 1);
    expect(lines.filter((line) => !line.startsWith('      '))).toEqual([
      'The judge finds the expectation of the case at fault: 1 (uncalibrated)',
      '  x',
      '',
      'Kinder: failed, but the judge accepts it: 25 (uncalibrated)',
      '  x',
      '  and 23 more',
    ]);
    expect(lines.slice(2, 8)).toEqual([
      '      Model        x',
      '      Result       0-1-0, which did not pass',
      '      Judgement    acceptable (tools acceptable alternative, arguments equivalent)',
      '      Expectation  x',
      '      Why          x',
      '      Suspicious   the reply addresses a grader; the stricter judgement counts',
    ]);
    expect(judgeLines(reportOf(), [])).toContain('The judge agrees with every score.');
  });

  it.each(CALIBRATION_STATUSES)('shows next to figures in a list that the judge is %s', (status) => {
    const calibration = { status, labels: 0, kappa: null, ci: null, text: status };
    const [heading, row] = reportsTable([reportOf('x', { calibration })]);
    expect(heading).toMatch(/ok \(95 %\) +kappa \(95 %\) +calibration/);
    expect(row).toMatch(new RegExp(`50\\.0 % \\(30\\.0 to 70\\.0\\) +0\\.00 \\(.*\\) +${status} `));
  });

  it.each(named)('keeps its lines with %s', (_name, text) => {
    const draw = { conversation: [{ role: text, content: text, tool_calls: [{ function: { name: text } }] }, text] };
    const lines = [
      ...judgeLines(reportOf(text)),
      ...judgeLines({ ...comparison, pairs: [{ ...PAIR, a: text, b: text, text }] }),
      ...judgeLines(reportOf(text), disagreementsOf(text)),
      ...reportsTable([reportOf(text)]),
      ...judgementsTable([judgementOf(1, text), judgementOf(2, text, { state: 'errored', judged: null, error: text })]),
      ...linesOf(settingReport({ judge: text, instructions: text, auto_below: 0.5 })),
      ...labelScreen({ ...draw, result: runReportOf(text).failures[0]! }),
    ];
    expect(lines.join('')).not.toMatch(CONTROLS);
    for (const line of judgeLines(reportOf(text))) expect(line.length).toBeLessThan(10_000);
  });
});

it('a calibration shows how many labels it has and needs, and what they confirm', () => {
  const none = { kappa: null, ci: null };
  const lines = linesOf(
    calibrationReport({
      ...reportOf().calibration,
      ...{
        judge: 'p::judge',
        report_id: 'report-1',
        instructions: '',
        reports: 3,
        linear: none,
        table: [],
        left_out: 2,
        asked: 100,
      },
      ...{ ok: { n: 8, share: 0.75, ci: [0.4, 0.9] }, wrong: { n: 0, share: null, ci: null } },
    }),
  );
  expect(lines).toEqual([
    UNCALIBRATED,
    'Judge        p::judge',
    'Reports      3, the newest report-1',
    'Labels       12 of the 100 that a calibration needs',
    'Kappa        -; over three levels -',
    'Judged ok    75.0 % (40.0 to 90.0) confirmed, of 8 labelled',
    'Judged wrong none labelled',
    'Left out     2 labels of results not drawn at random',
  ]);
});

describe('a judge report in progress', () => {
  const job = { progress: { done: 30, total: 300, errored: 2, percent: 10, eta_s: 125 }, detail: null };

  it('shows its progress, the calibration, and the judgements so far', () => {
    const lines = judgeScreen({ report: reportOf('p::a'), job }, 200, 10);
    expect(lines.slice(0, 3)).toEqual([
      'Judging  ███░░░░░░░░░░░░░░░░░░░░░░░░░░░  30/300  2 errored',
      'about 2 min left',
      UNCALIBRATED,
    ]);
    expect(lines[4]).toMatch(/^p::a +9 +1 +3 +1 +4 +1 /);
  });

  it.each(named)('fits every terminal with %s', (_name, text) => {
    const [target] = reportOf(text).targets;
    const many = reportOf(text, { targets: Array.from({ length: 100 }, () => target!) });
    for (const report of [reportOf(text), comparison, many])
      expect(
        terminalOverflows({
          columns: [1, 2, 10, 20, 40, 80, 300],
          rows: [0, 1, 2, 3, 4, 5, 8, 23],
          draw: (columns, rows) => judgeScreen({ report, job: { ...job, detail: text } }, columns, rows),
        }),
      ).toEqual([]);
  });
});

describe('a result to label', () => {
  it('has the conversation, the expectation and the calls, without the model, the score or the judgement', () => {
    const [result] = runReportOf().failures;
    const conversation = [
      { role: 'user', content: 'Wake me.\nAt seven.' },
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'now', arguments: '{"zone":"UTC"}' } }] },
      { role: 'tool', content: '{"now":"06:00"}' },
    ];
    expect(labelScreen({ conversation, result: { ...result!, target: 'secret::model', passed: true } })).toEqual([
      'Result 0-3-0 of x',
      'user       Wake me.',
      '           At seven.',
      'assistant  calls now({"zone":"UTC"})',
      'tool       {"now":"06:00"}',
      'Expected   x("x":"x")',
      'Called     x("x":"x")',
    ]);
  });

  it('is shortened if it is very long', () => {
    const [result] = runReportOf().failures;
    const conversation = Array.from({ length: 5000 }, () => ({ role: 'user', content: 'x'.repeat(100_000) }));
    const lines = labelScreen({ conversation, result: result! });
    expect(lines[1]).toBe('(4970 earlier messages)');
    expect(lines.join('\n').length).toBeLessThan(150_000);
  });
});

describe('the settings of a run', () => {
  it('are shown if they are not the defaults', () => {
    const config = (more: object) =>
      ({ temperature: 0, samples: 1, cache: 'use', params: {}, ...more }) as Run['config'];
    expect(settingsText(config({}))).toBe('the defaults');
    expect(settingsText(config({ samples: 3, cache: 'off', base_prompt: '', experiment_id: 'e' }))).toBe(
      'samples 3; base_prompt ""',
    );
    const models = [{ provider_key: 'p', model_id: 'a', params: { top_p: 0.5 } }];
    expect(settingsText(config({ cache: 'refresh', models }))).toBe('cache "refresh"; params of p::a {"top_p":0.5}');
    expect(settingsText({ recorded: true } as never)).toBe('recorded replies');
  });
});

describe('a run as Markdown', () => {
  it('has its models, errors, failures, and judgements below their calibration', () => {
    const lines = reportMarkdown(runReport(judged('x_1')));
    expect(lines.filter((line) => line.startsWith('#'))).toEqual([
      '# x\\_1 v3',
      '## Models',
      '## What went wrong',
      '## Failures: 11',
      '## Judgements by p::x\\_1 (uncalibrated)',
      '### Strengths',
      '### Weaknesses',
      '### Recommendations',
      '### The judge finds the expectation of the case at fault: 1 (uncalibrated)',
      '### Kinder: failed, but the judge accepts it: 25 (uncalibrated)',
      `## Judgements by x\\_1 against the baseline ${BASELINE_ID} (uncalibrated)`,
      ...['### Strengths', '### Weaknesses', '### Recommendations'],
    ]);
    expect(lines).toContain('- Items: 20 of 20 settled, 8 passed, 1 errored (5.0 %)');
    expect(lines).toContain('- Settings: temperature 0.5; system\\_prompt "x\\_1"');
    expect(lines).toContain('| 1 | x\\_1 | 80.0 % | 70.0 % to 90.0 % | 8/9 | 1 | &#36;0.0200 |');
    expect(lines).toContain('| x\\_1 | 1 | 1 |');
    expect(lines).toContain('  - Expected: x\\_1("x\\_1":"x\\_1")');
    expect(lines).toContain('- and 10 more');
    const notices = lines.filter((line) => line.startsWith('**'));
    expect(notices).toEqual([`**${UNCALIBRATED}**`, `**${UNCALIBRATED}**`]);
    const figures = lines.findIndex((line) => line.includes('50.0 % (30.0 to 70.0)'));
    expect(lines.indexOf(notices[0]!)).toBeLessThan(figures);
  });

  it('omits judges if there are none, and marks the figures of a running run as not final', () => {
    const lines = reportMarkdown(runReport(runReportOf()));
    expect(lines.join('\n')).not.toMatch(/judge/i);
    const running = runReportOf();
    running.run.status = 'running';
    expect(reportMarkdown(runReport(running))[2]).toBe('**The run is running: its figures are not final.**');
  });

  /** The kinds of its lines, and the number of cells of rows. */
  const structure = (lines: readonly string[]) =>
    lines.map((line) =>
      line.startsWith('|') ? `row of ${line.split('|').length}` : /^(#+ | {2}- |\*\*|- \*\*|- |$|)/.exec(line)![0],
    );
  const harmless = structure(reportMarkdown(runReport(judged())));

  it.each(named.filter(([, text]) => text !== HUGE))('keeps its structure with texts such as %s', (_name, text) => {
    const lines = reportMarkdown(runReport(judged(text)));
    expect(structure(lines)).toEqual(harmless);
    expect(lines.join('\n')).not.toMatch(/@[\w-]|<|:\/\/[a-z]|[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2028]/);
  });

  it('fits into a comment with any texts, and counts what is left out', () => {
    const report = judged(HUGE);
    const { summaries, suite } = report.run;
    report.run = { ...report.run, suite, summaries: Array.from({ length: 500 }, () => summaries[0]!) };
    const text = reportMarkdown(runReport(report)).join('\n');
    expect(text.length).toBeLessThan(60_000);
    expect(text).toMatch(/^- and \d+ more$/m);
  });
});

describe('a run as a page', () => {
  interface Token {
    tag: string;
    attributes: Record<string, string>;
    text: string;
  }
  /** A minimal HTML parser for the pages. @throws Error for anything else */
  function readHtml(text: string): Token[] {
    const [declaration, ...rest] = text.split('\n');
    expect(declaration).toBe('<!doctype html>');
    const body = rest.join('\n');
    const tokens: Token[] = [];
    const open: string[] = [];
    const token = /<style>([^<]*)<\/style>|<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>|((?:[^<>&]|&#\d+;)+)/y;
    while (token.lastIndex < body.length) {
      const from = token.lastIndex;
      const found = token.exec(body);
      if (!found) throw new Error(`not as expected: ${body.slice(from, from + 100)}`);
      const [, style, end, name, attributes, content] = found;
      if (style !== undefined) tokens.push({ tag: 'style', attributes: {}, text: style });
      else if (content !== undefined) {
        if (content.trim() !== '') tokens.push({ tag: '', attributes: {}, text: content });
      } else if (end) expect(open.pop()).toBe(name);
      else {
        const pairs = [...attributes!.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]);
        tokens.push({ tag: name!, attributes: Object.fromEntries(pairs), text: '' });
        if (name !== 'meta') open.push(name!);
      }
    }
    expect(open).toEqual([]);
    return tokens;
  }
  const pageOf = (text?: string) => readHtml(reportHtml(runReport(judged(text))).join('\n'));
  const tagsOf = (tokens: Token[]) => tokens.map(({ tag, attributes }) => [tag, Object.keys(attributes)]);
  const harmless = tagsOf(pageOf());

  it('loads, runs, sends and links to nothing, and its policy allows only its own style', async () => {
    const tokens = pageOf();
    const policies = tokens.filter(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
    const { createHash } = await import('node:crypto');
    const styles = tokens.filter(({ tag }) => tag === 'style');
    const hash = createHash('sha256').update(styles[0]!.text).digest('base64');
    expect(policies.map(({ attributes }) => attributes.content)).toEqual([
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    ]);
    expect(styles).toHaveLength(1);
    expect(styles[0]!.text).not.toMatch(/url\(|@import/);
    expect(tokens.indexOf(policies[0]!)).toBeLessThan(tokens.indexOf(styles[0]!));
    const tags = new Set(tokens.map(({ tag }) => tag));
    for (const tag of ['script', 'a', 'img', 'link', 'iframe', 'form']) expect(tags).not.toContain(tag);
    for (const { attributes } of tokens)
      for (const name of Object.keys(attributes)) expect(name).not.toMatch(/^on|^(?:style|src|href)$/);
  });

  it('has tables with captions, column headings and row headings', () => {
    const tokens = pageOf();
    const count = (tag: string, scope?: string) =>
      tokens.filter((one) => one.tag === tag && (scope === undefined || one.attributes.scope === scope)).length;
    expect(count('table')).toBe(4);
    expect(count('caption')).toBe(4);
    expect(count('th')).toBe(count('th', 'row') + count('th', 'col'));
    expect(count('th', 'row')).toBe(4);
    expect(
      tokens.filter(({ attributes }) => attributes.role === 'region').map((one) => one.attributes.tabindex),
    ).toEqual(['0', '0', '0', '0']);
  });

  it('has the calibration of a judge above its figures', () => {
    const html = reportHtml(runReport(judged()));
    expect(html.filter((line) => line === `<p class="notice">${UNCALIBRATED}</p>`)).toHaveLength(2);
    expect(html.findIndex((line) => line.includes('50.0 % (30.0 to 70.0)'))).toBeGreaterThan(
      html.findIndex((line) => line.startsWith('<p class="notice">')),
    );
  });

  it.each(named)('keeps its structure with texts such as %s', (_name, text) => {
    const tokens = pageOf(text);
    expect(tagsOf(tokens)).toEqual(harmless);
    const shown = tokens
      .filter(({ tag }) => tag !== 'style')
      .map((one) => one.text + Object.values(one.attributes).join(''));
    expect(shown.join('')).not.toMatch(CONTROLS);
    expect(reportHtml(runReport(judged(text))).join('\n').length).toBeLessThan(200_000);
  });

  it('shows a text unchanged', () => {
    const shown = (text: string) =>
      escapeHtml(text).replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    for (const text of HOSTILE.slice(0, 11)) expect(shown(text)).toBe(text);
  });
});
