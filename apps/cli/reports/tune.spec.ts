import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { ParamTuneInput, type ParamTune, type TuneArm } from '#lib/param-tune/contract';
import { terminalOverflows } from '../../../test/terminal-overflow.js';
import { cutToCells } from '../output/cells.js';
import { reportLines } from '../output/report-lines.js';
import { reportMarkdown } from '../output/report-markdown.js';
import { markedText } from '../output/terminal.js';
import { tuneScreen } from '../output/tune-screen.js';
import { newArmLines, armsTable, presetsTable, rankArms, tuneReport, tunesTable, type TuneReport } from './tune.js';

const SUITE_ID = '019aa8a2-5c1e-7000-8000-000000000011';
const armOf = (arm: number, more: Partial<TuneArm> = {}): TuneArm => ({
  arm,
  target: 'p::a',
  config: { temperature: arm / 10 },
  resolved: null,
  adjustments: [],
  same_as: null,
  state: 'dropped',
  rung: 'rung 1',
  cases: 8,
  samples: 8,
  mean: 0.5,
  ci: [0.4, 0.6],
  pass_rate: 0.5,
  errored: 0,
  cost_usd: 0.01,
  cost_per_case_usd: 0.001,
  tokens: 10,
  latency_p50_ms: 100.4,
  latency_p95_ms: 200,
  tied: false,
  runs: [],
  ...more,
});

interface Changes {
  name?: string;
  models?: string[];
  arms?: (target: string) => TuneArm[];
  target?: Partial<ParamTune['targets'][number]>;
  tune?: Partial<ParamTune>;
}
const ARMS = [
  armOf(0, { mean: 0.7 }),
  armOf(1, {
    state: 'recommended',
    tied: true,
    mean: 0.9,
    ci: [0.8, 0.95],
    cases: 20,
    errored: 2,
    adjustments: ['no top_p'],
  }),
  armOf(2, { state: 'finalist', mean: 0.89, cases: 20, tied: true }),
  armOf(3, { state: 'waiting', mean: null, ci: null, cases: 0 }),
  armOf(4, { same_as: 1, state: 'waiting', mean: null, ci: null, adjustments: ['no top_p'] }),
];
const reportOf = ({ name = 'Weather', models = ['p::a'], arms = () => ARMS, ...more }: Changes = {}): TuneReport => {
  const all = models.flatMap((target) => arms(target).map((arm) => ({ ...arm, target })));
  return {
    arms: all,
    tune: {
      id: 'tune-1',
      job_id: 'job-1',
      status: 'completed',
      name: null,
      suite_id: SUITE_ID,
      suite_name: name,
      suite_version: 3,
      experiment_id: null,
      input: ParamTuneInput.parse({
        suite_id: SUITE_ID,
        models: ['p::a'],
        search_space: { temperature: { min: 0, max: 0.4, step: 0.1 } },
        seed: 0,
        margin: 0,
      }),
      step: 'done',
      cases: { tuning: 20, holdout: 10 },
      planned_requests: 321,
      targets: models.map((target) => ({
        target,
        arms: arms(target).length,
        distinct: arms(target).filter(({ same_as: same }) => same === null).length,
        recommended: all.find((arm) => arm.target === target && arm.state === 'recommended') ?? null,
        tied: [2],
        holdout: {} as never,
        outcome: 'confirmed',
        text: 'Better by 9 points (2 to 16).',
        ...more.target,
      })),
      best_over_models: [],
      promoted_eval_id: null,
      notes: ['Few cases.'],
      created_at: '2026-11-23T10:00:00.000Z',
      finished_at: null,
      ...more.tune,
    },
  };
};
const tuneLines = (report: TuneReport) => reportLines(tuneReport(report)).map((line) => markedText(line, false));
const tuneMarkdown = (report: TuneReport) => reportMarkdown(tuneReport(report));
const COMMAND = `toolmark run ${SUITE_ID} --models p::a --temperature 0.1 --tool-choice required`;

const HUGE = '|`<@octocat>\n#1 '.repeat(70_000); // 1 MB
const HOSTILE = [
  'a | b',
  '| --- |\n| row | of its own |',
  'line\r\n\r\n# heading\u2028- item',
  '`code` ``` fence ``` ~~~',
  '\n```\n</details>\n# heading',
  '</details></td></table><script>alert(1)</script>',
  '<!-- hidden',
  '@octocat fixes #1 https://evil.example',
  '**bold** | \\| \\',
  '\u001b[2J\u202eevil\u0007',
  '東京 😀 👩‍👩‍👧 '.repeat(50),
  HUGE,
];
/** A report with the same text in every field written by a user, a server or a provider. */
const hostile = (text: string, models = [text, `${text} 2`]): TuneReport =>
  reportOf({
    name: text,
    models,
    arms: () =>
      [...ARMS, armOf(5), armOf(6, { same_as: 5 })].map((arm) => ({
        ...arm,
        config: { [text]: text, temperature: arm.arm },
        adjustments: [text],
        rung: text,
      })),
    target: { text },
    tune: {
      notes: [text],
      promoted_eval_id: 'run-1',
      best_over_models: [{ arm: 1, config: { [text]: text }, mean: 0.9 }],
      input: ParamTuneInput.parse({
        suite_id: SUITE_ID,
        models: ['p::a'],
        search_space: { [text.slice(0, 200)]: [text] },
        per_model_search_spaces: { [text]: { a: [text] } },
        base: { params: { [text]: text }, system_prompt: `x${text.slice(0, 49_000)}` },
      }),
    },
  });

it('arms are ranked by how far they got, then by their measurements', () => {
  const dropped = [armOf(5, { mean: 0.6 }), armOf(6, { cases: 16, mean: 0.1 }), armOf(7, { mean: 0 })];
  const running = [armOf(8, { state: 'running', mean: null }), armOf(9, { state: 'running', mean: 0.2 })];
  expect(rankArms([...dropped, ...ARMS, ...running]).map(({ arm }) => arm)).toEqual([1, 2, 9, 8, 6, 0, 5, 7, 3, 4]);
});

describe('a tune on a terminal', () => {
  it('has the settings, the outcome and the command to run it', () => {
    expect(tuneLines(reportOf())).toEqual([
      'Tune tune-1 is completed (job job-1).',
      'Suite        Weather v3',
      'Searched     temperature=0..0.4/0.1',
      'Base         temperature=0 tool_choice=required',
      'How          adaptive, seed 0, by overall, margin 0 points, 1 sample per case',
      'Cases        20 for the search, 10 held out to confirm',
      'Requests     321 planned',
      'Note         Few cases.',
      '',
      'p::a: confirmed',
      'Recommended  arm 1 temperature=0.1',
      'Mean         90.0 % (80.0 to 95.0) over 20 cases',
      'Held out     Better by 9 points (2 to 16).',
      'As good      2 temperature=0.2',
      'Not accepted no top_p (2 of 5 arms)',
      'Arms         5 with the base, 1 make the same requests as another, 1 dropped, 1 not tried',
      'Errored      2 in arm 1 temperature=0.1',
      '',
      `Run it       ${COMMAND}`,
      '',
      'arm  configuration    state        rung    cases  mean (95 %)            cost     p50     p95     cost/case  ' +
        'errored  same as  adjustments',
      '1    temperature=0.1  recommended  rung 1  20     90.0 % (80.0 to 95.0)  $0.0100  100 ms  200 ms  $0.0010    ' +
        '2        -        no top_p',
      '2    temperature=0.2  finalist     rung 1  20     89.0 % (40.0 to 60.0)  $0.0100  100 ms  200 ms  $0.0010    ' +
        '0        -',
      '',
      'Dropped arms: 1',
      'arm     configuration  state    rung    cases  mean (95 %)            cost     p50     p95     cost/case  ' +
        'errored  same as  adjustments',
      '0 base  temperature=0  dropped  rung 1  8      70.0 % (40.0 to 60.0)  $0.0100  100 ms  200 ms  $0.0010    ' +
        '0        -',
      '',
      'Arms that make the same requests as another: 1',
      '  Arm 4 temperature=0.4 makes the requests of arm 1',
      '',
      'All arms: toolmark tunes arms tune-1',
    ]);
  });

  it('has no command before the outcome, and shows the best arms over all models', () => {
    const nothing = { recommended: null, tied: [], text: null, outcome: null, holdout: null };
    const lines = tuneLines(reportOf({ arms: () => [], target: nothing }));
    expect(lines).toContain('Recommended  nothing yet');
    expect(lines.join('\n')).not.toMatch(/Run it|Held out|Errored/);
    const best = [{ arm: 2, config: { temperature: 0.2 }, mean: 0.85 }];
    const all = tuneLines(reportOf({ tune: { best_over_models: best, promoted_eval_id: 'run-9' } }));
    expect(all).toContain('All models   85.0 % with arm 2 temperature=0.2');
    expect(all).toContain('Promoted     run run-9 of the experiment');
  });

  it.each(HOSTILE.map((text) => [text.slice(0, 40), text]))('keeps its lines with names such as %j', (_n, text) => {
    const report = hostile(text);
    const lines = [
      ...tuneLines(report),
      ...armsTable(report.arms),
      ...tunesTable([{ type: 'param_tune', ...report.tune }]),
      ...presetsTable([{ id: '1', name: text, search_space: report.tune.input.search_space, created_at: '2026' }]),
    ];
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    for (const line of newArmLines()(report.arms)) expect(line.length).toBeLessThan(1000);
  });
});

describe('a tune in progress', () => {
  const job = { progress: { done: 30, total: 300, errored: 2, percent: 10, eta_s: 125 }, detail: null };
  const screen = (report: TuneReport, columns = 100, rows = 20) => tuneScreen({ ...report, job }, columns, rows);
  const many = (count: number) => () => [
    armOf(0, { state: 'running', mean: 0.3 }),
    ...Array.from({ length: count }, (_, n) => armOf(n + 1, { mean: n / (count + 1) })),
    armOf(count + 1, { state: 'waiting', mean: null, ci: null }),
    armOf(count + 2, { same_as: 0, state: 'waiting' }),
  ];

  it('shows its progress, the best arms first, and what was dropped', () => {
    const lines = screen(reportOf({ tune: { step: 'search' }, arms: many(30) }), 110, 12);
    expect(lines.slice(0, 5)).toEqual([
      'Searching  ███░░░░░░░░░░░░░░░░░░░░░░░░░░░  30/300  2 errored',
      '321 requests planned, about 2 min left',
      'arm     configuration    state    rung    cases  mean (95 %)            cost     p50',
      '0 base  temperature=0    running  rung 1  8      30.0 % (40.0 to 60.0)  $0.0100  100 ms',
      '30      temperature=3    dropped  rung 1  8      93.5 % (40.0 to 60.0)  $0.0100  100 ms',
    ]);
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toMatch(
      /^30 dropped, 1 waiting, 1 the same as another, 23 not shown: 23 temperature=2\.3; 22 /,
    );
  });

  it('shows each model below its name, and counts those that do not fit', () => {
    const models = ['p::a', 'p::b', 'p::c', 'p::d'];
    const lines = screen(reportOf({ models, arms: many(5) }), 100, 12);
    expect(lines.filter((line) => models.includes(line))).toEqual(['p::a', 'p::b']);
    expect(lines.at(-1)).toBe('and 2 more models');
    expect(lines.filter((line) => line.startsWith('0 base'))).toHaveLength(2);
    expect(screen(reportOf({ models, arms: many(5) }), 100, 4).at(-1)).toBe('4 models');
  });

  it('leaves out columns on a narrow terminal, but not the mean', () => {
    const heading = (columns: number) => screen(reportOf(), columns)[2];
    expect(heading(100)).toMatch(/^arm +configuration +state +rung +cases +mean \(95 %\) +cost +p50$/);
    expect(heading(80)).toMatch(/^arm +configuration +state +cases +mean \(95 %\) +cost$/);
    expect(heading(50)).toMatch(/^arm +configuration +mean \(95 %\)$/);
  });

  const REPORTS = [
    ...HOSTILE.map((text) => hostile(text)),
    hostile(
      '東京'.repeat(100),
      Array.from({ length: 20 }, (_, n) => `東京 ${n}`),
    ),
    reportOf({ arms: () => [] }),
    reportOf({ models: [] }),
    reportOf({ arms: many(3000) }),
  ];
  it.each(REPORTS.map((report, index) => [index, report] as const))('fits every terminal (%i)', (_index, report) => {
    expect(
      terminalOverflows({
        columns: [1, 2, 10, 20, 40, 60, 80, 120, 300],
        rows: [0, 1, 2, 3, 4, 5, 6, 8, 23, 60],
        draw: (columns, rows) => screen(report, columns, rows),
      }),
    ).toEqual([]);
  });

  it('a text is cut between characters', () => {
    expect(cutToCells('abc', 3)).toBe('abc');
    expect(cutToCells('abcd', 3)).toBe('ab…');
    expect(cutToCells('東京都', 5)).toBe('東京…');
    expect(cutToCells('😀😀😀', 4)).toBe('😀…');
    expect(cutToCells('░░░ 10 €', 8)).toBe('░░░ 10 €');
    expect(cutToCells('abc', 0)).toBe('');
  });
});

describe('a tune in a pull request', () => {
  const HEADING = [
    '| arm | configuration | state | rung | cases | mean (95 %) | cost | p50 | p95 | cost/case | errored | same as | ' +
      'adjustments |',
    '| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
  ];

  it('has the settings, the outcome of each model with its command in a fence, and the arms by rank', () => {
    expect(tuneMarkdown(reportOf())).toEqual([
      '# Tune tune-1 is completed (job job-1).',
      '',
      '- Suite: Weather v3',
      '- Searched: temperature=0..0.4/0.1',
      '- Base: temperature=0 tool\\_choice=required',
      '- How: adaptive, seed 0, by overall, margin 0 points, 1 sample per case',
      '- Cases: 20 for the search, 10 held out to confirm',
      '- Requests: 321 planned',
      '- Note: Few cases.',
      '',
      '## p::a: confirmed',
      '',
      '- Recommended: arm 1 temperature=0.1',
      '- Mean: 90.0 % (80.0 to 95.0) over 20 cases',
      '- Held out: Better by 9 points (2 to 16).',
      '- As good: 2 temperature=0.2',
      '- Not accepted: no top\\_p (2 of 5 arms)',
      '- Arms: 5 with the base, 1 make the same requests as another, 1 dropped, 1 not tried',
      '- Errored: 2 in arm 1 temperature=0.1',
      '',
      '```sh',
      COMMAND,
      '```',
      '',
      ...HEADING,
      '| 1 | temperature=0.1 | recommended | rung 1 | 20 | 90.0 % (80.0 to 95.0) | &#36;0.0100 | 100 ms | 200 ms | ' +
        '&#36;0.0010 | 2 | \\- | no top\\_p |',
      '| 2 | temperature=0.2 | finalist | rung 1 | 20 | 89.0 % (40.0 to 60.0) | &#36;0.0100 | 100 ms | 200 ms | ' +
        '&#36;0.0010 | 0 | \\- |  |',
      '',
      '<details><summary>Dropped arms: 1</summary>',
      '',
      ...HEADING,
      '| 0 base | temperature=0 | dropped | rung 1 | 8 | 70.0 % (40.0 to 60.0) | &#36;0.0100 | 100 ms | 200 ms | ' +
        '&#36;0.0010 | 0 | \\- |  |',
      '',
      '</details>',
      '',
      '<details><summary>Arms that make the same requests as another: 1</summary>',
      '',
      '- Arm 4 temperature=0.4 makes the requests of arm 1',
      '',
      '</details>',
      '',
      'All arms: toolmark tunes arms tune-1',
      '',
    ]);
  });

  /** The structure as a parser sees it: the kinds of its lines, with the lines of fences apart. */
  const structure = (lines: readonly string[]) => {
    const kinds: string[] = [];
    let fence = '';
    for (const line of lines) {
      if (fence !== '') {
        kinds.push(line === fence ? 'end' : 'code');
        if (line === fence) fence = '';
      } else if (line.startsWith('```')) {
        [fence] = /^`+/.exec(line)!;
        kinds.push('fence');
      } else if (line.startsWith('|')) kinds.push(`row of ${line.split('|').length}`);
      else
        kinds.push(
          /^(?:#+ |- |<details><summary>|<\/details>$|All arms: |system-prompt\.txt holds |$)/.exec(line)?.[0] ?? line,
        );
    }
    return kinds;
  };

  it.each(HOSTILE.slice(0, -2).map((text) => [text]))('keeps its structure with names such as %j', (text) => {
    const lines = tuneMarkdown(hostile(text));
    const kinds = structure(lines);
    expect(kinds).toEqual(structure(tuneMarkdown(hostile('x'))));
    const outside = lines.filter((_line, index) => kinds[index] !== 'code');
    expect(outside.join('\n')).not.toMatch(/@[\w-]|<(?!details|\/details|summary|\/summary)|:\/\/[a-z]/);
    expect(lines.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2028]/);
  });

  it('stays below the length of a comment with any names, models and arms', () => {
    const arms = () => [
      ...ARMS,
      ...Array.from({ length: 5000 }, (_, n) => armOf(n + 5, { same_as: n % 2 ? 1 : null })),
    ];
    const twenty = Array.from({ length: 20 }, (_, n) => `p::${n}`);
    for (const report of [
      hostile(HUGE.slice(0, 60_000)),
      hostile(HUGE.slice(0, 60_000), twenty),
      reportOf({ arms }),
      reportOf({ arms, models: twenty }),
    ]) {
      const lines = tuneMarkdown(report);
      expect(lines.join('\n').length).toBeLessThan(65_000);
      expect(
        structure(lines).every((kind) =>
          /^(?:#+ |- |fence|code|end|row|<details|<\/details|$|The command|All arms: |system-prompt\.txt holds )/.test(
            kind,
          ),
        ),
      ).toBe(true);
    }
    expect(tuneMarkdown(reportOf({ arms })).join('\n')).toMatch(/^- and \d+ more$/m);
  });

  it('keeps the form of numbers in the command', () => {
    const config = parseJson('{"temperature": 0.10, "n": 5.0}') as JsonObject;
    const lines = tuneMarkdown(reportOf({ arms: () => [armOf(1, { state: 'recommended', config })] }));
    expect(lines[lines.indexOf('```sh') + 1]).toMatch(/--temperature 0\.10 .* --params '\{"n":5\.0\}'$/);
  });
});
