import type { Comparison } from '#lib/contracts/comparison';
import { startSystem, type System } from '../system.js';
import { until } from '../until.js';

/*
 * Equal systems that the whole product compares: 100 pairs of models with the same skill and independent luck. Their
 * seeds are fixed, so that the figures are always the same. What the statistics do in general stands in
 * docs/scoring.md.
 */
const PAIRS = 100;
const TARGETS_PER_RUN = 100;
const CASES = 40;
/** 5 % of the pairs, and three standard errors. */
const MOST_FALSE_ALARMS = 11;

let system: System;
const models = Array.from({ length: 2 * PAIRS }, (_, seed) => `prompt-sensitive:equal-${seed}`);
const runs: string[] = [];

beforeAll(async () => {
  system = await startSystem({ workers: 2 });
  const { client, simulator } = system;
  for (const [seed, model] of models.entries()) {
    const body = JSON.stringify({ base: 0.7, seed });
    const { ok } = await fetch(`${simulator.url}/control/prompt-sensitive/${model}`, { method: 'POST', body });
    expect(ok).toBe(true);
  }
  await client.post('/api/providers', { key: 'equal', base_url: `${simulator.url}/v1`, models });
  const { body: suite } = await client.post('/api/tool-eval/import', equalSuite());
  for (let first = 0; first < models.length; first += TARGETS_PER_RUN) {
    const { status, body } = await client.post('/api/tool-eval', {
      suite_id: suite.suite_id,
      models: models.slice(first, first + TARGETS_PER_RUN).map((model) => `equal::${model}`),
      model_order: 'parallel',
      cache: 'off',
    });
    expect({ status, body }).toMatchObject({ status: 202 });
    runs.push(body.eval_id as string);
  }
  for (const run of runs)
    await until(async () => (await client.get(`/api/tool-eval/history/${run}`)).body.status === 'completed', {
      what: `run ${run} to complete`,
      timeoutMs: 600_000,
    });
}, 1_200_000);

/** Cases that a model can get wrong in part (another city) and in full (another tool). */
const equalSuite = () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const tool = (name: string, description: string) => ({
    type: 'function',
    function: { name, description, parameters },
  });
  return {
    name: 'Equal',
    tools: [tool('get_weather', 'Get the weather in a city'), tool('get_population', 'Get the population of a city')],
    test_cases: Array.from({ length: CASES }, (_, n) => ({
      prompt: `What is the weather in Paris? (${n})`,
      expected_tool: 'get_weather',
      expected_params: { city: 'Paris' },
    })),
  };
};

it.each(['overall', 'passed'])(
  'of 100 pairs of equal models, at most 11 are called different by %s',
  async (measure) => {
    const verdicts: Record<string, number> = {};
    for (let pair = 0; pair < PAIRS; pair++) {
      const [a, b] = [`equal::${models[2 * pair]}`, `equal::${models[2 * pair + 1]}`];
      const run = runs[Math.floor((2 * pair) / TARGETS_PER_RUN)];
      const query = `a=${run}&b=${run}&measure=${measure}&pairs=${encodeURIComponent(`${a}~${b}`)}`;
      const { status, body } = await system.client.get(`/api/compare?${query}`);
      expect({ status, body }).toMatchObject({ status: 200 });
      const { all } = body as Comparison;
      expect(all.n_cases).toBe(CASES);
      expect(all.mean_a).toBeLessThan(1);
      verdicts[all.verdict!] = (verdicts[all.verdict!] ?? 0) + 1;
    }
    const { improved = 0, regressed = 0 } = verdicts;
    expect(Object.values(verdicts).reduce((sum, count) => sum + count, 0)).toBe(PAIRS);
    expect(improved + regressed).toBeLessThanOrEqual(MOST_FALSE_ALARMS);
  },
  600_000,
);
