import type { FailureGroup, FailureGroups, RunCase } from '#lib/contracts/run-facets';
import type { Summary } from '#lib/contracts/summary';
import type { Hint, HintInput, HintWords } from './hint.js';
import { hintsOf } from './hints.js';

const summary = (target: string, figures: Partial<Summary>): Summary =>
  ({
    target,
    scored: 10,
    errored: 0,
    error_counts: {},
    format_counts: {},
    tool_choice_used: {},
    ...figures,
  }) as Summary;

const group = (figures: Partial<FailureGroup>): FailureGroup => ({
  id: 'g1',
  error_type: 'wrong_argument',
  expected_tool: 'get_weather',
  called_tool: 'get_weather',
  argument: '/city',
  count: 8,
  by_target: [8, 0],
  example: '0-1-0',
  difference: null,
  ...figures,
});

const groupsOf = (...items: FailureGroup[]): FailureGroups => ({
  targets: ['sim::a', 'sim::b'],
  items,
  types: [],
  others: { groups: 0, results: 0 },
});

interface Given {
  config?: Record<string, unknown>;
  summaries: Summary[];
  groups?: FailureGroups;
  failed?: Partial<RunCase>[];
  toolChoice?: string | null;
  warnings?: HintInput['run']['warnings'];
}

const hintsFor = ({ summaries, groups, failed, toolChoice = 'required', warnings = [], config }: Given): Hint[] =>
  hintsOf({
    run: {
      config: { tool_choice: toolChoice, max_tokens: 1024, ...config } as HintInput['run']['config'],
      suite: { id: 's', name: 'Weather', version: 1 },
      summaries,
      targets: summaries.map(({ target }) => ({
        target,
        provider_key: target.split('::')[0]!,
        model_id: target.split('::')[1]!,
        total: 10,
        settled: 10,
        errored: 0,
        passed: 0,
      })),
      warnings,
    },
    groups,
    failedCases: failed && {
      targets: [],
      total: failed.length,
      counts: { all: failed.length, differing: 0, all_failed: failed.length },
      categories: [],
      next_cursor: null,
      items: failed as RunCase[],
    },
  });

const textOf = (words: HintWords): string =>
  words.map((word) => (typeof word === 'string' ? word : word.given)).join('');
const keysOf = (given: Given): string[] => hintsFor(given).map(({ key }) => key);

it('a run without problems has no hint', () => {
  const good = summary('sim::a', { tool_accuracy: 1, param_accuracy: 0.9, tool_choice_used: { required: 10 } });
  expect(hintsFor({ summaries: [good], groups: groupsOf(), failed: [] })).toEqual([]);
});

describe('the right tool with unexpected arguments', () => {
  const strict = summary('sim::a', { tool_accuracy: 1, param_accuracy: 0.3 });

  it('may come from too strict expectations, with the most frequent mismatch of these models', () => {
    const other = group({ id: 'g2', argument: '/units', count: 90, by_target: [1, 89] });
    const [hint] = hintsFor({ summaries: [strict, summary('sim::b', {})], groups: groupsOf(other, group({})) });
    expect(textOf(hint!.words)).toContain('The most frequent mismatch is /city of get_weather, 8 times.');
    expect(hint!.steps).toEqual([
      { to: 'result', words: 'See an example', resultId: '0-1-0' },
      { to: 'failures', words: 'See all', group: 'g1' },
    ]);
  });

  it('links to the failures while groups are not counted', () => {
    const [hint] = hintsFor({ summaries: [strict] });
    expect(hint!.steps).toEqual([{ to: 'results', words: 'Failures', search: { model: ['sim::a'], passed: false } }]);
  });

  it.each<[number | null, number | null, boolean]>([
    [0.9, 0.5, true],
    [0.89, 0.1, false],
    [1, 0.51, false],
    [1, null, false],
    [null, 0, false],
  ])('is a hint at a tool accuracy of %p and an argument accuracy of %p: %p', (tool, params, isTold) => {
    const one = summary('sim::a', { tool_accuracy: tool, param_accuracy: params });
    expect(keysOf({ summaries: [one] })).toEqual(isTold ? ['strict expectations'] : []);
  });
});

describe('answers without a call', () => {
  const silent = summary('sim::a', { error_counts: { no_call: 5 } });

  it('under auto are a reason to try required', () => {
    const [hint] = hintsFor({ summaries: [silent, summary('sim::b', {})], toolChoice: 'auto' });
    expect(textOf(hint!.words)).toMatch(/^sim::a answers mostly with text/);
    expect(hint!.steps[0]).toEqual({ to: 'run again', words: 'Run again with required', toolChoice: 'required' });
  });

  it.each(['required', 'none', null])('give no hint under %p', (toolChoice) => {
    expect(keysOf({ summaries: [silent], toolChoice })).toEqual([]);
  });

  it('give no hint where most answers have a call', () => {
    expect(keysOf({ summaries: [summary('sim::a', { error_counts: { no_call: 4 } })], toolChoice: 'auto' })).toEqual(
      [],
    );
  });
});

describe('prompts drafted from descriptions', () => {
  const drafted = {
    case_id: 'c1',
    case_name: 'draft: search',
    prompt: 'Write here what a user would say for whom "x"',
  };

  it('are too vague where no model passes', () => {
    const [hint] = hintsFor({ summaries: [], failed: [drafted, { prompt: 'Find it.' }] });
    expect(textOf(hint!.words)).toMatch(/^1 case .* such as draft: search\. /);
    expect(hint!.steps[0]).toEqual({ to: 'case', words: 'Write its prompt', caseId: 'c1' });
  });

  it('give no hint once rewritten', () => {
    expect(keysOf({ summaries: [], failed: [{ ...drafted, prompt: 'Find it.' }] })).toEqual([]);
  });
});

it.each<[number, string[]]>([
  [1, []],
  [2, ['repaired calls']],
])('%d of 10 repaired calls are many: %p', (repaired, keys) => {
  expect(keysOf({ summaries: [summary('sim::a', { format_counts: { repaired } })] })).toEqual(keys);
});

describe('a model whose every item errored', () => {
  const broken = summary('sim::a', { scored: 0, errored: 10 });

  it('offers a provider test and shows the message of one of its results', () => {
    const errored = group({ id: 'e', error_type: 'errored', example: '0-0-0' });
    const [hint] = hintsFor({ summaries: [broken, summary('sim::b', {})], groups: groupsOf(group({}), errored) });
    expect(hint!.errorOf).toBe('0-0-0');
    expect(hint!.steps[0]).toEqual({ to: 'test', providerKey: 'sim' });
  });

  it('gives no hint while one item has a score', () => {
    expect(keysOf({ summaries: [summary('sim::a', { scored: 1, errored: 9 })] })).toEqual([]);
  });
});

describe('replies that say little about tool calling', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'the limit of the run',
      {},
      /^6 of 10 replies of sim::a, 1 of 10 replies of sim::b ended at 1,024 tokens .*raise max/,
    ],
    ['no limit', { max_tokens: null }, /at the token limit of the model or its host .* set max_tokens to what/],
    [
      'a limit of its own',
      { models: [{ provider_key: 'sim', model_id: 'a', params: { max_tokens: 64 } }] },
      /at 64 tok/,
    ],
  ])('cut off at %s: the hint says what to change', (_, config, expected) => {
    const summaries = [summary('sim::b', { error_counts: { cut_off: 1 } })];
    const [hint] = hintsFor({ summaries: [...summaries, summary('sim::a', { error_counts: { cut_off: 6 } })], config });
    expect(textOf(hint!.words)).toMatch(expected);
    expect(hint!.steps.at(-1)).toMatchObject({ search: { model: ['sim::a', 'sim::b'], type: ['cut_off'] } });
  });

  it('refused or blocked by a filter: the hint shows its message', () => {
    const refusing = summary('sim::b', { error_counts: { refused: 3 } });
    const blocked = group({ id: 'e', error_type: 'errored', called_tool: 'blocked', count: 4, example: '0-0-0' });
    const [first, second] = hintsFor({ summaries: [refusing], groups: groupsOf(blocked) });
    expect(textOf(first!.words)).toMatch(/^A filter blocked 4 requests to sim::a before/);
    expect(first!.errorOf).toBe('0-0-0');
    expect(textOf(second!.words)).toMatch(/^3 of 10 replies of sim::b declined/);
  });
});

describe('calls that a host left in the text', () => {
  const left = (syntax_counts: Record<string, number>) => summary('sim::a', { scored: 100, syntax_counts });

  it('have the syntax of a model that the host is not set up for', () => {
    const [hint] = hintsFor({ summaries: [left({ hermes: 40, kimi: 5, later_one: 4, json: 50 })] });
    expect(textOf(hint!.words)).toMatch(
      /^45 of 100 replies of sim::a .* the syntax of Hermes and Kimi: its host is set/,
    );
  });

  it('do not count if they are only in the thoughts', () => {
    const [hint] = hintsFor({ summaries: [left({ thoughts: 5 })] });
    expect(textOf(hint!.words)).toMatch(/^5 of 100 replies of sim::a make their call only in the thoughts/);
  });

  it('give no hint for JSON, for few replies, or in a summary of an earlier release', () => {
    expect(keysOf({ summaries: [left({ json: 90, hermes: 4, thoughts: 4 }), summary('sim::b', {})] })).toEqual([]);
  });
});

describe('a tool choice other than the requested one', () => {
  const mixed = summary('sim::a', { tool_choice_used: { required: 4, auto: 6 } });

  it('is a hint with its frequency and reason', () => {
    const warnings = [
      { code: 'tool_choice:sim::a', message: 'sim::a refuses "required".', at: null },
      { code: 'unsupported:sim::a:seed', message: 'no seed', at: null },
    ];
    const [hint] = hintsFor({ summaries: [mixed], warnings });
    const text = textOf(hint!.words);
    expect(text).toMatch(/^6 of 10 results that expect a call were asked with auto instead of required: .* sim::a\./);
    expect(text).toMatch(/sim::a refuses "required"\.$/);
  });

  it('gives no hint for a run of recorded replies', () => {
    expect(keysOf({ summaries: [mixed], toolChoice: null })).toEqual([]);
  });
});

it('many models are named by the first three', () => {
  const summaries = ['a', 'b', 'c', 'd', 'e'].map((one) => summary(one, { scored: 0, errored: 1 }));
  expect(textOf(hintsFor({ summaries })[0]!.words)).toMatch(/^Every item of a, b, c and 2 more errored/);
});
