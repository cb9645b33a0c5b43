import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { RunInput } from '#lib/contracts/run-input';
import { emptyRun, fromRun, requestOf, type NewRun } from './new-run.js';
import { optionKind } from './run-metrics.js';

const SUITE = '019aa8a2-5c1e-7000-8000-000000000011';
const chosen = { ...emptyRun(SUITE), models: ['p::m'] };
const bodyOf = (run: NewRun): string => {
  const written = requestOf(run);
  return 'body' in written ? written.body : '{}';
};
const asked = (run: NewRun): RunInput => RunInput.parse(JSON.parse(bodyOf(run)));
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
    expect(asked({ ...chosen, judgeWhen: 'after', judgeBelow: '' }).judge).toEqual(judge);
  });

  it('is copied from an earlier run', () => {
    const judge = { judge: 'p::judge', when: 'inline' as const, below: 0.5 };
    const run = fromRun(earlier({ judge }));
    expect(run).toMatchObject({ judgeWhen: 'inline', judge: 'p::judge', judgeBelow: '0.5', more: '' });
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
    expect([again.maxTokens, asked(again).max_tokens]).toEqual(['none', null]);
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

it('invalid JSON is reported before anything is sent', () => {
  const paths = (run: NewRun) => (requestOf(run) as { faults: { path: string }[] }).faults.map(({ path }) => path);
  expect(paths({ ...chosen, params: '[1]', more: '{' })).toEqual(['/more', '/params']);
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
