import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { RunInput } from '#lib/contracts/run-input';
import { emptyRun, fromRun, requestOf, withPromptVersion } from './new-run.js';
import { optionKind } from './run-metrics.js';

const SUITE = '019aa8a2-5c1e-7000-8000-000000000011';
const chosen = { ...emptyRun(SUITE), models: ['p::m'] };
const bodyOf = (value: JsonObject): string => {
  const written = requestOf({ value, unread: {} });
  return 'body' in written ? written.body : '{}';
};
const asked = (run: JsonObject): RunInput => RunInput.parse(JSON.parse(bodyOf(run)));
/** An earlier run, as the API returns it. */
const earlier = (config: object, more: object = {}): Run =>
  ({
    suite: { id: SUITE },
    experiment_id: null,
    config: { ...asked(chosen), models: [{ provider_key: 'p', model_id: 'm', params: {} }], cache: 'use', ...config },
    ...more,
  }) as unknown as Run;

describe('the judge of a run', () => {
  it('is none unless chosen', () => {
    expect(asked(chosen).judge).toBeUndefined();
    const judge = { judge: null, when: 'after', below: 1 };
    expect(asked({ ...chosen, judge: { judge: null, when: 'after' } }).judge).toEqual(judge);
  });

  it('is copied from an earlier run', () => {
    const judge = { judge: 'p::judge', when: 'inline' as const, below: 0.5 };
    const run = fromRun(earlier({ judge }));
    expect(run).toMatchObject({ judge });
    expect(run).not.toHaveProperty('more');
    expect(asked(run).judge).toEqual(judge);
  });
});

describe('a run made from an earlier one', () => {
  it('has all its settings', () => {
    const settings = {
      samples: 3,
      temperature: 0.7,
      tool_choice: 'auto',
      max_tokens: 77,
      timeout_s: 12.5,
      params: { top_p: 0.5, stop: ['a', 'b'] },
      model_order: 'parallel',
      case_filter: { tags: ['enum', 'a, b'], category: 'current' },
      system_prompt: { 'p::m': 'Be brief.', '*': 'Be kind.' },
      base_prompt: 'Another.',
      tool_overrides: { 'tools/get_weather/description': 'Weather.' },
      budget: { max_cost_usd: 2.5, max_requests: 100 },
    };
    const metrics = [
      { id: 'axion_tool_correctness', as: 'strict', version: '1', options: { threshold: 0.25, strict_order: true } },
      { id: 'bfcl_ast', as: 'bfcl_ast', version: '1', options: {} },
    ];
    const of = { ...settings, cache: 'refresh', metrics };
    const again = asked(fromRun(earlier(of, { experiment_id: SUITE })));
    expect(again).toMatchObject({ ...settings, cache: 'refresh', experiment_id: SUITE });
    expect(again.metrics).toEqual([
      { id: 'axion_tool_correctness', as: 'strict', options: { threshold: 0.25, strict_order: true } },
      'bfcl_ast',
    ]);
    expect(again.models).toEqual(['p::m']);
  });

  it('keeps an unlimited reply length, and takes the limit of the baseline where the earlier run set none', () => {
    expect(asked(chosen)).not.toHaveProperty('max_tokens');
    expect(asked(fromRun(earlier({ max_tokens: 1024 }))).max_tokens).toBe(1024);
    expect(asked(fromRun(earlier({ max_tokens: null })))).not.toHaveProperty('max_tokens');
    const again = fromRun(earlier({ max_tokens: null }, { experiment_id: SUITE }));
    expect([again.max_tokens, asked(again).max_tokens]).toEqual(['none', null]);
  });

  it('keeps per-model parameters, and numbers as written', () => {
    const params = '{"seed":12345678901234567890,"top_p":5.0}';
    const config = parseJson(`{"params":${params}}`) as JsonObject;
    const models = [{ provider_key: 'p', model_id: 'm', params: config.params }];
    const body = bodyOf(fromRun(earlier({ ...config, models })));
    expect(body).toContain(`"params":${params},`);
    expect(body).toContain(`{"provider_key":"p","model_id":"m","params":${params}}`);
  });

  it('leaves the cache mode to the other settings unless the earlier run set it', () => {
    expect(asked(fromRun(earlier({ cache: 'use' }))).cache).toBeUndefined();
    expect(asked(fromRun(earlier({ cache: 'off' }))).cache).toBe('off');
    expect(asked(fromRun(earlier({ cache: 'off', samples: 3 }))).cache).toBeUndefined();
  });
});

describe('the request of a run', () => {
  it('is that of the fields', () => {
    const typed = {
      samples: parseJson('2'),
      temperature: parseJson('0.70'),
      max_tokens: '512',
      case_filter: { tags: 'enum, , other ', category: 'current' },
      metrics: [
        { id: 'bfcl_ast', as: ' ', options: {} },
        { id: 'bfcl_ast', as: 'again', options: {} },
      ],
      system_prompt: { 'p::m': 'Be brief.', 'p::gone': 'Unused.', '*': '' },
      name: ' Twice ',
      budget: {},
      prompt_version_id: null,
    };
    expect(JSON.parse(bodyOf({ ...chosen, ...typed }))).toEqual({
      suite_id: SUITE,
      models: ['p::m'],
      samples: 2,
      temperature: 0.7,
      tool_choice: 'required',
      max_tokens: 512,
      timeout_s: 120,
      params: {},
      prompt_cache: 'off',
      model_order: 'sequential',
      case_filter: { tags: ['enum', 'other'], category: 'current' },
      metrics: ['bfcl_ast', { id: 'bfcl_ast', as: 'again', options: {} }],
      system_prompt: { 'p::m': 'Be brief.' },
      experiment_id: null,
      name: 'Twice',
      note: null,
    });
  });

  it('is not written while JSON is invalid', () => {
    const pathsOf = (value: JsonObject, unread: Record<string, string>) =>
      (requestOf({ value, unread }) as { faults: { path: string }[] }).faults.map(({ path }) => path);
    expect(pathsOf({ ...chosen, params: [1] }, { '/more': '{' })).toEqual(['/more', '/params']);
    expect(pathsOf(emptyRun(''), { '/samples': 'x' })).toEqual(['/suite_id', '/models', '/unread']);
  });

  it('has no prompts of a choice that was made before', () => {
    expect(bodyOf({ ...chosen, typed_prompts: { all: 'Earlier.' } })).not.toMatch(/typed_prompts|Earlier/);
  });

  it('has no texts of another prompt version', () => {
    const more = { base_prompt: 'Another.', tool_overrides: {}, other: 1 };
    const run = { value: { ...chosen, more }, unread: { '/name': 'kept' } };
    expect(withPromptVersion(run, SUITE)).toEqual({
      value: { ...chosen, more: { other: 1 }, prompt_version_id: SUITE },
      unread: run.unread,
    });
    const { other: _other, ...texts } = more;
    expect(withPromptVersion({ ...run, value: { ...chosen, more: texts } }, '').value).toEqual(chosen);
  });
});

it.each([
  [{ type: 'boolean', default: true }, { kind: 'boolean' }],
  [
    { type: 'string', enum: ['a', 'b'] },
    { kind: 'choice', values: ['a', 'b'] },
  ],
  [
    { type: 'array', items: { type: 'string', enum: ['a'] } },
    { kind: 'several', values: ['a'] },
  ],
  [{ type: 'number' }, { kind: 'number' }],
  [{ anyOf: [{ type: 'object' }, { type: 'null' }] }, { kind: 'json' }],
])('a metric option has the control of its schema: %j', (schema, kind) => {
  expect(optionKind(schema as JsonObject)).toEqual(kind);
});
