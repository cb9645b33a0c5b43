import type { Comparison } from '#lib/contracts/comparison';
import { joinSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';

// Equal models, compared through the whole system. For a hundred pairs see libs/comparison/false-alarms.spec.ts.
const CASES = 40;
const MODELS = ['prompt-sensitive:equal-0', 'prompt-sensitive:equal-1'];

/** Cases that a model can fail partly (another city) or fully (another tool). */
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

it.each(['overall', 'passed'])('two equal models are not reported as different by %s', async (measure) => {
  const { client, simulator } = await joinSystem();
  for (const [seed, model] of MODELS.entries()) {
    const body = JSON.stringify({ base: 0.7, seed });
    const { ok } = await fetch(`${simulator.url}/control/prompt-sensitive/${model}`, { method: 'POST', body });
    expect(ok).toBe(true);
  }
  await client.post('/api/providers', { key: 'equal', base_url: `${simulator.url}/v1`, models: MODELS });
  const suite_id = await client.importSuite(equalSuite());
  const models = MODELS.map((model) => `equal::${model}`);
  const { body: run } = await client.post('/api/tool-eval', {
    ...{ suite_id, models, model_order: 'parallel', cache: 'off' },
  });
  await untilRunCompleted(client, run.eval_id);
  const pairs = encodeURIComponent(models.join('~'));
  const { eval_id: id } = run;
  const { status, body } = await client.get(`/api/compare?a=${id}&b=${id}&measure=${measure}&pairs=${pairs}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  const { all } = body as Comparison;
  expect(all.n_cases).toBe(CASES);
  expect(all.mean_a).toBeLessThan(1);
  expect(['improved', 'regressed']).not.toContain(all.verdict);
});
