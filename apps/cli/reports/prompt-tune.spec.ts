import { PromptTuneInput, type PromptTune } from '#lib/prompt-tune/contract';
import { terminalOverflows } from '../../../test/terminal-overflow.js';
import type { LeanCandidate } from '../lookup/read-candidates.js';
import { promptTuneScreen } from '../output/prompt-tune-screen.js';
import { reportLines } from '../output/report-lines.js';
import { reportMarkdown } from '../output/report-markdown.js';
import type { Report } from '../output/report.js';
import { markedText } from '../output/terminal.js';
import {
  candidateReport,
  candidatesTable,
  newStepLines,
  leadingCandidate,
  lineageOf,
  promptTuneReport,
  rejectionFacts,
  type PromptTuneReport,
} from './prompt-tune.js';

const SUITE_ID = '019aa8a2-5c1e-7000-8000-000000000011';
const NONE = { minibatch: null, parent: null, select: null, final: null, holdout: null };
const tried = (
  candidate: number,
  { scores, ...more }: Omit<Partial<LeanCandidate>, 'scores'> & { scores?: Partial<LeanCandidate['scores']> } = {},
): LeanCandidate => ({
  candidate,
  kind: candidate === 0 ? 'base' : 'reflection',
  iteration: candidate,
  parents: candidate === 0 ? [] : [0],
  state: 'accepted',
  reason: null,
  why: candidate === 0 ? null : `Says more (${candidate}).`,
  changed: candidate === 0 ? [] : ['system_prompt'],
  length: 100,
  meta: null,
  ...more,
  scores: { ...NONE, ...scores },
});

const CANDIDATES = [
  tried(0, { state: 'finalist', scores: { select: 0.4, final: 0.42, holdout: 0.5 } }),
  tried(1, { changed: ['tools/f/description'], scores: { select: 0.5 } }),
  tried(2, {
    state: 'rejected',
    reason: 'On the 4 cases of its reflection, it scores 2.5 in total, and candidate 1 2.5.',
  }),
  tried(3, { state: 'rejected', reason: 'On the 4 cases of its reflection, it scores 1 in total, and candidate 0 2.' }),
  tried(4, { state: 'front', scores: { select: 0.6 } }),
  tried(5, { state: 'rejected', why: null, reason: 'tools/f/description: It repeats words of a case: "a 1 b".' }),
  tried(6, {
    kind: 'merge',
    parents: [1, 4],
    state: 'best',
    why: null,
    changed: ['system_prompt', 'tools/f/description'],
    scores: { select: 0.7, final: 0.68, holdout: 0.8 },
  }),
];
const DIFF = [
  {
    component: 'system_prompt',
    from: 'Be brief.',
    to: 'Be kind.\nCall one tool.',
    hunks: [
      { op: 'same' as const, text: 'Be ' },
      { op: 'removed' as const, text: 'brief' },
      { op: 'added' as const, text: 'kind' },
      { op: 'same' as const, text: '.' },
      { op: 'added' as const, text: '\nCall one tool.' },
    ],
  },
];

const reportOf = ({ tune, ...more }: Partial<Omit<PromptTuneReport, 'tune'>> & { tune?: Partial<PromptTune> } = {}) => {
  const input = { suite_id: SUITE_ID, models: ['p::a'], meta_model: 'p::m', params: { top_k: 1 } };
  const report: PromptTuneReport = {
    candidates: CANDIDATES,
    diff: DIFF,
    tune: {
      id: 'tune-1',
      job_id: 'job-1',
      status: 'completed',
      name: null,
      suite_id: SUITE_ID,
      suite_name: 'Weather',
      suite_version: 3,
      experiment_id: null,
      input: PromptTuneInput.parse(input),
      step: 'done',
      targets: ['p::a', 'p::b'],
      meta_target: 'p::m',
      cases: { tuning: 42, reflect: 24, select: 18, holdout: 18 },
      base: { system_prompt: 'Be brief.', 'tools/f/description': 'F' },
      planned_requests: 321,
      evaluations: 210,
      candidates: 7,
      front: [4, 6],
      best: 6,
      texts: {},
      holdout: { mean_a: 0.5, mean_b: 0.8, difference: 0.3, ci: [0.1, 0.45], n_cases: 18 } as PromptTune['holdout'],
      outcome: 'confirmed',
      text: 'Take candidate 6: it is better than the base.',
      prompt_version_id: 'version-1',
      promoted_eval_id: 'run-1',
      meta: { requests: 5, prompt_tokens: 1000, completion_tokens: 200, cost_usd: 0.01 },
      notes: ['Few cases.'],
      created_at: '2026-11-24T00:00:00.000Z',
      finished_at: '2026-11-24T01:00:00.000Z',
      ...tune,
    },
    ...more,
  };
  return report;
};
const textOf = (report: Report): string[] => reportLines(report).map((line) => markedText(line, false));
const linesOf = (report: PromptTuneReport): string[] => textOf(promptTuneReport(report));
const promptTuneMarkdown = (report: PromptTuneReport) => reportMarkdown(promptTuneReport(report));
const RUN =
  `toolmark run ${SUITE_ID} --models p::a,p::b --temperature 0 --tool-choice required ` +
  `--params '{"top_k":1}' --prompt-version version-1`;

const HUGE = '|`<@octocat>\n#1 '.repeat(70_000); // 1 MB
const HOSTILE = [
  'a | b',
  '| --- |\n| row | of its own |',
  'line\r\n\r\n# heading\u2028- item',
  '`code` ``` fence ``` ~~~',
  '\n```\n</details>\n# heading',
  '</ins></del></details></td></table><script>alert(1)</script>',
  '<!-- hidden',
  '@octocat fixes #1 https://evil.example',
  '**bold** | \\| \\',
  '\u001b[2J\u202eevil\u0007',
  '東京 😀 👩‍👩‍👧 '.repeat(50),
];
/** A report with the same text in every field written by a user, a server or a model. */
const hostile = (text: string): PromptTuneReport => {
  const { tune } = reportOf();
  return reportOf({
    candidates: CANDIDATES.map((one) => ({
      ...one,
      why: text,
      reason: one.state === 'rejected' ? `${one.candidate % 2 ? 'A' : 'B'} ${text}` : null,
      changed: [text],
    })),
    diff: [
      {
        component: text,
        from: text,
        to: text,
        hunks: (['same', 'removed', 'added', 'same'] as const).map((op) => ({ op, text: text.replaceAll('\n', ' ') })),
      },
    ],
    tune: {
      suite_name: text,
      targets: [text],
      meta_target: text,
      base: { [text]: text },
      notes: [text],
      text,
      promoted_eval_id: text,
      input: { ...tune.input, params: { [text.slice(0, 200)]: 1 } },
    },
  });
};

describe('a prompt tune on a terminal', () => {
  it('has the settings, the outcome, the steps, the changes and the next commands', () => {
    expect(linesOf(reportOf())).toEqual([
      'Tune tune-1 is completed (job job-1).',
      'Suite        Weather v3',
      'Models       p::a; p::b',
      'Meta model   p::m',
      'Texts        system_prompt; tools/f/description',
      'How          reflective, 4 cases per step, seed 1, by overall, margin 2 points, 1 sample per case',
      'Cases        42 for the search (24 visible to the meta model, 18 for selection), 18 held out to confirm',
      'Requests     321 planned',
      'Note         Few cases.',
      '',
      'Outcome      Take candidate 6: it is better than the base.',
      'Held out     candidate 6 80.0 %, the base 50.0 %: +30 points (10 to 45) over 18 cases',
      'Candidates   7 with the base: 3 accepted, 3 rejected, 210 items measured',
      'Meta cost    5 requests, 1000 + 200 tokens, $0.0100',
      'Promoted     run run-1 of the experiment',
      '',
      'Steps to candidate 6',
      'candidate  made              score             changed                             why',
      '1          reflection of 0   40.0 % to 50.0 %  tools/f/description                 Says more (1).',
      '4          reflection of 0   40.0 % to 60.0 %  system_prompt                       Says more (4).',
      '6          merge of 1 and 4  50.0 % to 70.0 %  system_prompt; tools/f/description',
      '',
      'Rejected candidates: 3',
      '  2, such as: On the 4 cases of its reflection, it scores 2.5 in total, and candidate 1 2.5.',
      '  1: tools/f/description: It repeats words of a case: "a 1 b".',
      '',
      'From the base to candidate 6',
      'system_prompt',
      '  Be [-brief-]{+kind+}.',
      '  {+Call one tool.+}',
      '',
      `Run it       ${RUN}`,
      'Compare it   toolmark prompts diff version-1',
      'Take it      toolmark prompts use version-1',
      '',
      'All candidates: toolmark tunes candidates tune-1',
    ]);
  });

  it('has no command before the outcome, or if the base is best', () => {
    const nothing = { best: null, texts: null, holdout: null, outcome: null, text: null, prompt_version_id: null };
    const lines = linesOf(reportOf({ diff: [], tune: { ...nothing, promoted_eval_id: null } }));
    expect(lines).toContain('Outcome      nothing yet');
    expect(lines.join('\n')).not.toMatch(/Run it|Held out|came about|From the base|Promoted/);
    const base = linesOf(reportOf({ diff: [], tune: { ...nothing, best: 0, text: 'Keep the base.' } }));
    expect(base).toContain('Outcome      Keep the base.');
    expect(base.join('\n')).not.toMatch(/Run it|came about/);
  });

  it.each(HOSTILE.concat(HUGE).map((text) => [text.slice(0, 40), text]))('keeps its lines with %j', (_n, text) => {
    const report = hostile(text);
    const lines = [
      ...linesOf(report),
      ...candidatesTable(report.candidates),
      ...textOf(candidateReport(report.candidates[2]!)),
    ];
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    for (const line of newStepLines()(report.candidates, false)) expect(line.length).toBeLessThan(1000);
  });
});

it('the best so far has the highest selection score; among equals, the base, then the shorter one', () => {
  const scored = (candidate: number, select: number | null, more: Partial<LeanCandidate> = {}) =>
    tried(candidate, { ...more, scores: { select } } as never);
  expect(leadingCandidate(CANDIDATES)?.candidate).toBe(6);
  expect(leadingCandidate([scored(0, 0.5), scored(1, 0.5, { length: 1 })])?.candidate).toBe(0);
  expect(leadingCandidate([scored(0, 0.4), scored(1, 0.5), scored(2, 0.5, { length: 1 })])?.candidate).toBe(2);
  expect(leadingCandidate([scored(0, null), scored(1, 0.9, { state: 'rejected' })])).toBeUndefined();
});

it('the lineage of the best has each of its ancestors once', () => {
  const numbers = (report: PromptTuneReport) => lineageOf(report).map(({ candidate }) => candidate);
  expect(numbers(reportOf())).toEqual([1, 4, 6]);
  expect(numbers(reportOf({ tune: { best: 0 } }))).toEqual([]);
  const chain = [tried(0), ...Array.from({ length: 50 }, (_, n) => tried(n + 1, { parents: [n, Math.max(0, n - 1)] }))];
  expect(numbers(reportOf({ candidates: chain, tune: { best: 50 } }))).toHaveLength(50);
  const lines = linesOf(reportOf({ candidates: chain, tune: { best: 50 } }));
  expect(lines).toContain('after 20 earlier steps');
});

it('rejections are counted by reason, ignoring numbers and quotations', () => {
  const reasons = [
    'It has 1200 characters; the description of a tool or parameter may have 1,024.',
    'tools/f/description: It has 3000 characters; the description of a tool or parameter may have 1,024.',
    'It repeats words of a case: "one".',
    'It repeats words of a case: "two "quoted" words".',
    'It repeats words of a case: "3".',
    'The text is empty.',
  ];
  const rejected = reasons.map((reason, n) => tried(n + 1, { state: 'rejected', reason }));
  expect(rejectionFacts([tried(0), ...rejected])).toEqual({
    count: 6,
    texts: [
      '3, such as: It repeats words of a case: "one".',
      '2, such as: It has 1200 characters; the description of a tool or parameter may have 1,024.',
      '1: The text is empty.',
    ],
  });
  const letters = Array.from({ length: 26 }, (_, n) => String.fromCharCode(97 + n));
  const many = letters.map((reason, n) => tried(n + 1, { state: 'rejected', reason }));
  expect(rejectionFacts(many).texts.at(-1)).toBe('and 16 other reasons');
});

describe('a prompt tune in progress', () => {
  const job = { progress: { done: 30, total: 300, errored: 2, percent: 10, eta_s: 125 }, detail: null };
  const screen = ({ tune, candidates }: PromptTuneReport, columns = 100, rows = 20) =>
    promptTuneScreen({ tune, candidates, job }, columns, rows);

  it('shows its progress, the best so far, and the newest candidates that fit, with their reasons', () => {
    expect(screen(reportOf({ tune: { step: 'search' } }), 100, 12)).toEqual([
      'Searching  ███░░░░░░░░░░░░░░░░░░░░░░░░░░░  30/300  2 errored',
      '321 requests planned, about 2 min left',
      '7 with the base: 3 accepted, 3 rejected; 210 items measured',
      'Front: 4; 6',
      'Best so far: candidate 6, 70.0 %, the base 40.0 %',
      'candidate  step  made              state     score   changed',
      '6          6     merge of 1 and 4  best      70.0 %  system_prompt; tools/f/description',
      '5          5     reflection of 0   rejected  -       system_prompt',
      '  rejected: tools/f/description: It repeats words of a case: "a 1 b".',
      '4          4     reflection of 0   front     60.0 %  system_prompt',
      '  why: Says more (4).',
    ]);
  });

  it.each(
    [
      ...HOSTILE.map(hostile),
      hostile(HUGE),
      reportOf({ candidates: [], tune: { front: [] } }),
      reportOf({ candidates: Array.from({ length: 5000 }, (_, n) => tried(n)) }),
    ].map((report, index) => [index, report] as const),
  )('fits every terminal (%i)', (_index, report) => {
    expect(
      terminalOverflows({
        columns: [1, 2, 10, 20, 40, 60, 80, 120, 300],
        rows: [0, 1, 2, 3, 4, 5, 6, 8, 23, 60],
        draw: (columns, rows) => screen(report, columns, rows),
      }),
    ).toEqual([]);
  });

  it('logs each step once without a terminal, the last one at the end of the search', () => {
    const tell = newStepLines();
    expect(tell(CANDIDATES.slice(0, 1), true)).toEqual([]);
    expect(tell(CANDIDATES.slice(0, 3), true)).toEqual([
      'step 1: candidate 1 (reflection of 0: tools/f/description) accepted. Best so far: candidate 1, 50.0 %.',
    ]);
    expect(tell(CANDIDATES.slice(0, 3), true)).toEqual([]);
    const rest = tell(CANDIDATES, false);
    expect(rest.map((line) => /^step (\d)/.exec(line)![1])).toEqual(['2', '3', '4', '5', '6']);
    expect(rest[0]).toBe(
      'step 2: candidate 2 (reflection of 0: system_prompt) rejected. Best so far: candidate 1, 50.0 %.',
    );
  });
});

describe('a prompt tune in a pull request', () => {
  it('has the same content, with changes as inserted and deleted text', () => {
    expect(promptTuneMarkdown(reportOf())).toEqual([
      '# Tune tune-1 is completed (job job-1).',
      '',
      '- Suite: Weather v3',
      '- Models: p::a; p::b',
      '- Meta model: p::m',
      '- Texts: system\\_prompt; tools/f/description',
      '- How: reflective, 4 cases per step, seed 1, by overall, margin 2 points, 1 sample per case',
      '- Cases: 42 for the search (24 visible to the meta model, 18 for selection), 18 held out to confirm',
      '- Requests: 321 planned',
      '- Note: Few cases.',
      '',
      '- Outcome: Take candidate 6: it is better than the base.',
      '- Held out: candidate 6 80.0 %, the base 50.0 %: +30 points (10 to 45) over 18 cases',
      '- Candidates: 7 with the base: 3 accepted, 3 rejected, 210 items measured',
      '- Meta cost: 5 requests, 1000 + 200 tokens, &#36;0.0100',
      '- Promoted: run run-1 of the experiment',
      '',
      '## Steps to candidate 6',
      '',
      '| candidate | made | score | changed | why |',
      '| ---: | --- | ---: | --- | --- |',
      '| 1 | reflection of 0 | 40.0 % to 50.0 % | tools/f/description | Says more (1). |',
      '| 4 | reflection of 0 | 40.0 % to 60.0 % | system\\_prompt | Says more (4). |',
      '| 6 | merge of 1 and 4 | 50.0 % to 70.0 % | system\\_prompt; tools/f/description |  |',
      '',
      '<details><summary>Rejected candidates: 3</summary>',
      '',
      '- 2, such as: On the 4 cases of its reflection, it scores 2.5 in total, and candidate 1 2.5.',
      '- 1: tools/f/description: It repeats words of a case: "a 1 b".',
      '',
      '</details>',
      '',
      '## From the base to candidate 6',
      '',
      '- **system\\_prompt**',
      '  - Be <del>brief</del><ins>kind</ins>.',
      '  - <ins>Call one tool.</ins>',
      '',
      '```sh',
      RUN,
      'toolmark prompts diff version-1',
      'toolmark prompts use version-1',
      '```',
      '',
      'All candidates: toolmark tunes candidates tune-1',
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
      else {
        const tags = (line.match(/<\/?(?:ins|del)>/g) ?? []).join('');
        kinds.push(
          (/^(?: {2}- |#+ |- |<details><summary>|<\/details>$|All candidates: |$)/.exec(line)?.[0] ?? line) + tags,
        );
      }
    }
    return kinds;
  };
  const harmless = structure(promptTuneMarkdown(hostile('x')));

  it.each(HOSTILE.map((text) => [text]))('keeps its structure with texts such as %j', (text) => {
    const lines = promptTuneMarkdown(hostile(text));
    const kinds = structure(lines);
    expect(kinds).toEqual(harmless);
    const outside = lines.filter((_line, index) => kinds[index] !== 'code');
    expect(outside.join('\n')).not.toMatch(/@[\w-]|<(?!\/?(?:details|summary|ins|del)>)|:\/\/[a-z]/);
    expect(lines.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2028]/);
  });

  it('stays below the length of a comment with any texts and number of candidates', () => {
    const chain = [tried(0), ...Array.from({ length: 5000 }, (_, n) => tried(n + 1, { parents: [n] }))];
    const text = Array.from({ length: 20_000 }, (_, n) => `line ${n} @octocat`).join('\n');
    const long = [{ component: 'system_prompt', from: '', to: text, hunks: [{ op: 'added' as const, text }] }];
    for (const report of [hostile(HUGE), reportOf({ candidates: chain, diff: long, tune: { best: 5000 } })]) {
      const lines = promptTuneMarkdown(report);
      expect(lines.join('\n').length).toBeLessThan(65_000);
      expect(
        structure(lines).every((kind) =>
          /^(?: {2}- |#+ |- |fence|code|end|row|<|$|The command|All candidates: |after \d+ earlier)/.test(kind),
        ),
      ).toBe(true);
      expect(lines.at(-1)).toBe('');
    }
    expect(promptTuneMarkdown(reportOf({ diff: long })).join('\n')).toMatch(/^- and \d+ more$/m);
  });
});
