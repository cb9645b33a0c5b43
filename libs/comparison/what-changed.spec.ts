import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { RecordedConfig, RunConfig } from '#lib/contracts/run-input';
import type { Tool } from '#lib/contracts/tool';
import { notesOn, notesOnReplies } from './notes.js';
import type { ReplyCounts } from './side-totals.js';
import { whatChanged, type RunTreatment } from './what-changed.js';

const config: RunConfig = {
  temperature: 0,
  tool_choice: 'required',
  samples: 1,
  max_tokens: 1024,
  timeout_s: 120,
  params: {},
  system_prompt: null,
  metrics: [],
  case_filter: null,
  model_order: 'sequential',
  budget: null,
  cache: 'use',
};
const tool = (name: string, description: string, parameters: JsonObject = {}): Tool => ({
  type: 'function',
  function: { name, description, parameters },
});
const suite: RunTreatment['suite'] = {
  id: '1',
  version: 1,
  systemPrompt: null,
  tools: [tool('weather', 'Tells the weather.'), tool('news', 'Tells the news.')],
  passThreshold: 1,
  conversation: null,
};
const targets = [{ target: 'p::x', params: {}, systemPrompt: null }];
const base: RunTreatment = { config, targets, suite, rescore: null, scoringVersions: [3] };
const rescore: RescoreOptions = { metrics: [], pass_threshold: null, param_scoring: null, scoring_config: null };

const pairs = [{ a: 'p::x', b: 'p::x' }];
const changes = (b: Partial<RunTreatment>, compared = pairs) => whatChanged(base, { ...base, ...b }, compared);
const configured = (more: Partial<RunConfig>): Partial<RunTreatment> => ({ config: { ...config, ...more } });
const inSuite = (more: Partial<RunTreatment['suite']>): Partial<RunTreatment> => ({ suite: { ...suite, ...more } });

it('lists no setting that does not affect replies or verdicts', () => {
  expect(changes({})).toEqual([]);
  expect(changes(configured({ budget: { max_requests: 5 }, cache: 'off', model_order: 'parallel' }))).toEqual([]);
});

it('does not treat the unknown limit of a recorded run as no limit', () => {
  const recorded = { ...config, recorded: true, max_tokens: null } as unknown as RecordedConfig;
  expect(changes({ config: recorded })).toEqual([]);
});

it.each<[string, Partial<RunTreatment>, unknown[]]>([
  ['a setting', configured({ temperature: 0.7 }), [{ path: '/temperature', a: 0, b: 0.7 }]],
  ['the tool choice', configured({ tool_choice: 'auto' }), [{ path: '/tool_choice', a: 'required', b: 'auto' }]],
  ['a removed limit', configured({ max_tokens: null }), [{ path: '/max_tokens', a: 1024, b: null }]],
  ['samples', configured({ samples: 5 }), [{ path: '/samples', a: 1, b: 5 }]],
  [
    'the case filter',
    configured({ case_filter: { tags: ['t'] } }),
    [{ path: '/case_filter', a: null, b: { tags: ['t'] } }],
  ],
  [
    'each parameter',
    configured({ params: parseJson('{"top_p": 0.50, "a/b": 0}') as JsonObject }),
    [
      { path: '/params/top_p', a: null, b: JSON.parse('0.5') as unknown },
      { path: '/params/a~1b', a: null, b: 0 },
    ],
  ],
  [
    'a parameter of a target',
    { targets: [{ target: 'p::x', params: { seed: 0 }, systemPrompt: null }] },
    [{ path: '/models/p::x/params/seed', a: null, b: 0 }],
  ],
  [
    'the prompt of the run',
    { targets: [{ target: 'p::x', params: {}, systemPrompt: 'Be brief.' }] },
    [{ path: '/system_prompt', a: null, b: 'Be brief.' }],
  ],
  [
    'the prompt that replaces the one of the suite, even if empty',
    configured({ base_prompt: '' }),
    [{ path: '/base_prompt', a: null, b: '' }],
  ],
  [
    'each description that replaces one of the suite',
    configured({ tool_overrides: { 'tools/news/description': 'What is new.' }, base_prompt: null }),
    [{ path: '/tool_overrides/tools~1news~1description', a: null, b: 'What is new.' }],
  ],
  ['the prompt of the suite', inSuite({ systemPrompt: '' }), [{ path: '/suite/system_prompt', a: null, b: '' }]],
  ['the version of the suite', inSuite({ version: 2 }), [{ path: '/suite/version', a: 1, b: 2 }]],
  ['the suite', inSuite({ id: '2', version: 9 }), [{ path: '/suite/id', a: '1', b: '2' }]],
  [
    'the description of a tool',
    inSuite({ tools: [tool('weather', 'Says the weather.'), suite.tools[1]!] }),
    [{ path: '/suite/tools/weather/description', a: 'Tells the weather.', b: 'Says the weather.' }],
  ],
  [
    'the parameters of a tool',
    inSuite({ tools: [tool('weather', 'Tells the weather.', { type: 'object' }), suite.tools[1]!] }),
    [{ path: '/suite/tools/weather/parameters', a: {}, b: { type: 'object' } }],
  ],
  [
    'an added and a removed tool',
    inSuite({ tools: [suite.tools[0]!, tool('time', 'Tells the time.')] }),
    [
      { path: '/suite/tools/news', a: suite.tools[1]!.function, b: null },
      { path: '/suite/tools/time', a: null, b: { name: 'time', description: 'Tells the time.', parameters: {} } },
    ],
  ],
  [
    'the order of the tools',
    inSuite({ tools: suite.tools.toReversed() }),
    [{ path: '/suite/tools', a: ['weather', 'news'], b: ['news', 'weather'] }],
  ],
  ['the pass threshold of the suite', inSuite({ passThreshold: 0 }), [{ path: '/pass_threshold', a: 1, b: 0 }]],
  [
    'the options of a rescore',
    { rescore: { ...rescore, pass_threshold: 0, param_scoring: 'fuzzy' } },
    [
      { path: '/pass_threshold', a: 1, b: 0 },
      { path: '/param_scoring', a: null, b: 'fuzzy' },
    ],
  ],
  ['the version of the scoring', { scoringVersions: [4, 3] }, [{ path: '/scoring_version', a: 3, b: [3, 4] }]],
])('lists %s', (_what, b, expected) => {
  expect(JSON.parse(JSON.stringify(changes(b)))).toEqual(expected);
});

it('lists compared models whose names differ, even within one run', () => {
  const two = { targets: [...targets, { target: 'p::y', params: { seed: 1 }, systemPrompt: 'Hi' }] };
  expect(whatChanged({ ...base, ...two }, { ...base, ...two }, [{ a: 'p::x', b: 'p::y' }])).toEqual([
    { path: '/models', a: ['p::x'], b: ['p::y'] },
    { path: '/models/p::y/params/seed', a: null, b: 1 },
    { path: '/system_prompt', a: null, b: 'Hi' },
  ]);
});

it('lists models that only one run has, but not another order', () => {
  const other = { target: 'p::y', params: {}, systemPrompt: null };
  expect(changes({ targets: [...targets, other] })).toEqual([{ path: '/models', a: ['p::x'], b: ['p::x', 'p::y'] }]);
  expect(
    whatChanged({ ...base, targets: [...targets, other] }, { ...base, targets: [other, ...targets] }, pairs),
  ).toEqual([]);
});

it('lists the prompt of each model if each has its own', () => {
  const both = [...pairs, { a: 'p::y', b: 'p::y' }];
  const prompted = (x: string, y: string): RunTreatment => ({
    ...base,
    targets: [
      { target: 'p::x', params: {}, systemPrompt: x },
      { target: 'p::y', params: {}, systemPrompt: y },
    ],
  });
  expect(whatChanged(prompted('one', 'two'), prompted('one', 'three'), both)).toEqual([
    { path: '/system_prompt/p::y', a: 'two', b: 'three' },
  ]);
});

it('cuts long texts to the place where they differ', () => {
  const { a, b } = whatChanged(
    { ...base, suite: { ...suite, systemPrompt: `${'x'.repeat(40_000)}old${'y'.repeat(9_000)}` } },
    { ...base, suite: { ...suite, systemPrompt: `${'x'.repeat(40_000)}new` } },
    pairs,
  )[0]!;
  expect(b).toBe(`...${'x'.repeat(100)}new`);
  expect(a).toBe(`...${'x'.repeat(100)}old${'y'.repeat(397)}...`);
});

describe('notes', () => {
  const cases = { common: { length: 100 }, changed: 0, changedExpectations: 0, onlyA: 0, onlyB: 0 };
  const notes = (b: Partial<RunTreatment>, counts: Partial<typeof cases> = {}) =>
    notesOn(base, { ...base, ...b }, { ...cases, ...counts });

  it('are empty for equal runs', () => {
    expect(notes({})).toEqual([]);
  });

  it.each<[string, Partial<RunTreatment>, Partial<typeof cases>, RegExp]>([
    [
      'a rescore where only expectations changed',
      {},
      { changed: 3, changedExpectations: 3 },
      /^3 cases ask the same and/,
    ],
    ['the small number of common cases', {}, { onlyB: 50 }, /^Only 100 of 150 cases are the same in both runs/],
    ['a rescore for other versions of the scoring', { scoringVersions: [4] }, {}, /versions 3 and 4 .* both runs/],
    ['a rescore for another pass threshold', inSuite({ passThreshold: 0 }), {}, /from 1 in the baseline and from 0/],
    ['a rescore for other rules', { rescore: { ...rescore, param_scoring: 'fuzzy' } }, {}, /different rules/],
    ['unequal samples', configured({ samples: 5 }), {}, /1 and 5 samples .* more samples of the baseline/],
    [
      'requests that only one run sent differently',
      { sentOtherwise: ['a::x refuses tool_choice "required"; "auto" is sent instead.'] },
      {},
      /^Models were asked in different ways, .* In the other run alone: a::x refuses tool_choice/,
    ],
    ['different suites', inSuite({ id: '2' }), {}, /different suites/],
  ])('advise or mention %s', (_what, b, counts, note) => {
    expect(notes(b, counts)).toMatchObject([{ text: expect.stringMatching(note) }]);
  });

  it.each<[string, Partial<ReplyCounts>, Partial<ReplyCounts>, RegExp[]]>([
    ['equal shares', { cut_off: 3, refused: 1 }, { scored: 200, cut_off: 6, refused: 2 }, []],
    [
      'more',
      { cut_off: 41 },
      {},
      [/^41 of 100 replies of the baseline and 0 of 100 .* cut off .* a higher token limit/],
    ],
    [
      'the same count of fewer replies',
      { refused: 2 },
      { scored: 50, refused: 2 },
      [/^2 of 100 .* 2 of 50 .* refused/],
    ],
    ['different kinds', { refused: 1 }, { cut_off: 1 }, [/cut off/, /refused/]],
    ['replies of only one side', { cut_off: 9 }, { scored: 0 }, []],
  ])('mention cut-off and refused replies: %s', (_what, a, b, expected) => {
    const none: ReplyCounts = { scored: 100, refused: 0, cut_off: 0 };
    const found = notesOnReplies({ a: { ...none, ...a }, b: { ...none, ...b } });
    expect(found.map(({ text }) => text)).toEqual(expected.map((note) => expect.stringMatching(note)));
  });
});
