// Comparisons, experiments, gates, and tunes.
import { CARELESS, GOOD, META } from './models.mjs';

const FILTER = { category: 'current', tags: ['single', 'enum'] };

export async function playExperiments({ call, submit, ids }) {
  const path = `/api/experiments/${ids.experiment}`;
  const other = { name: 'Another model', suite_id: ids.suite, margin: 0, measure: 'passed' };
  const { id: few } = await call('POST', '/api/experiments', other);
  const some = { suite_id: ids.suite, case_filter: FILTER, experiment_id: few, budget: { max_requests: 100 } };
  const { eval_id: worse } = await submit('/api/tool-eval', { ...some, models: [CARELESS] }, { isShown: false });
  await call('PUT', `/api/experiments/${few}/baseline`, { eval_id: worse }, { isShown: false });
  await submit('/api/tool-eval', { ...some, models: [GOOD] }, { isShown: false });
  await counted(call, few);
  await call('POST', `/api/experiments/${few}/run-best`, { samples: 2 });
  await call('PUT', `${path}/baseline`, { eval_id: ids.baseline });
  ids.best = (
    await submit('/api/tool-eval', {
      suite_id: ids.suite,
      models: [GOOD, CARELESS],
      samples: 2,
      system_prompt: 'Answer briefly.',
      experiment_id: ids.experiment,
    })
  ).eval_id;
  await counted(call, ids.experiment);
  await call('POST', `${path}/run-best`, { samples: 5 });
  const models = [{ provider_key: 'simulator', model_id: 'careless-arguments', params: { top_p: 0.9 } }];
  await submit(`${path}/run-best`, { models, samples: 3, budget: { max_cost_usd: 2.5, max_requests: 1000 } });
  await submit('/api/tool-eval', {
    suite_id: ids.suite,
    models: [GOOD],
    case_filter: FILTER,
    experiment_id: ids.experiment,
    budget: { max_requests: 100 },
  });
  await call('PUT', path, { status: 'archived' });
  await call('PUT', path, { status: 'active', name: 'Shorter descriptions, again', description: 'Half as long.' });
  await call('GET', '/api/experiments');
  await call('GET', `${path}/timeline`);
  const { earlier, later } = ids.others;
  const pairs = [
    [ids.baseline, ids.best],
    [ids.baseline, ids.run],
    [earlier, later],
    [ids.best, ids.others.odd],
  ];
  for (const [a, b] of pairs) {
    await call('GET', `/api/compare?a=${a}&b=${b}&wait=0`);
    await call('GET', `/api/compare?a=${a}&b=${b}&wait=20`);
    await call('GET', `/api/compare?a=${a}&b=${b}&wait=20&measure=passed`);
    await call('GET', `/api/compare/items?a=${a}&b=${b}&wait=20`);
  }
  await call('GET', `/api/compare?runs=${ids.baseline},${ids.best},${ids.run}&wait=20`);
}

/** All settings of a gate's run. */
const configOf = (ids) => ({
  models: [{ provider_key: 'simulator', model_id: 'perfect-ish', params: { top_p: 0.9 } }],
  temperature: 0.2,
  tool_choice: 'auto',
  samples: 1,
  max_tokens: 2048,
  timeout_s: 60,
  params: { seed: 7 },
  system_prompt: 'Answer briefly.',
  base_prompt: 'You help people with the weather, and with nothing else.',
  tool_overrides: { 'tools/get_weather/description': 'Tells the weather in a city at the moment.' },
  prompt_version_id: ids.earlierPrompt,
  metrics: [{ id: 'axion_tool_correctness', options: { check_parameters: true } }],
  case_filter: FILTER,
  model_order: 'parallel',
  budget: { max_cost_usd: 2.5, max_requests: 1000 },
  cache: 'refresh',
  prompt_cache: '5m',
});

export async function playGates({ call, submit, ids }) {
  const { suite: suite_id, baseline } = ids;
  const rules = {
    models: [GOOD],
    measure: 'passed',
    margin: 0.03,
    floor: { pass_rate: 0.8 },
    max_errored_share: 0.05,
    critical_tags: ['enum'],
    looks: 2,
    max_requests: 20_000,
  };
  const made = await call('POST', '/api/gates', { name: 'main', suite_id, baseline: { eval_id: baseline }, ...rules });
  ids.gate = made.id;
  const sensitivity = { suite_id, baseline: { eval_id: baseline }, margin: 0.03, looks: 2 };
  await call('POST', '/api/gates/sensitivity', sensitivity);
  await call('POST', '/api/gates/sensitivity', { ...sensitivity, baseline: { experiment_id: ids.experiment } });
  await call('POST', `/api/gates/${made.id}/run/estimate`, { config: { system_prompt: 'Answer briefly.' } });
  await call('POST', '/api/gates', { name: 'nightly', suite_id, baseline: { experiment_id: ids.experiment } });
  const path = `/api/gates/${ids.gate}`;
  for (const run of [ids.best, ids.others.odd, ids.run]) await call('GET', `${path}/check?eval_id=${run}&wait=20`);
  ids.gateRun = (await submit(`${path}/run`, { config: { system_prompt: 'Answer briefly.' } })).gate_run_id;
  await submit(`${path}/run`, { config: configOf(ids) });
  await submit(`${path}/run`, { eval_id: ids.run });
  await call('GET', `${path}/runs`);
  await call('GET', `${path}/runs/${ids.gateRun}`);
  const strict = await call('POST', '/api/gates', {
    ...{ name: 'strict', suite_id, baseline: { eval_id: baseline } },
    ...{ models: [CARELESS], critical_tags: ['enum', 'single', 'number'], measure: 'passed' },
  });
  for (const run of [ids.best, ids.others.odd])
    await call('GET', `/api/gates/${strict.id}/check?eval_id=${run}&wait=20`);
  const { looks: _looks, ...others } = rules;
  await call('PUT', path, { baseline: { eval_id: ids.best } });
  await call('PUT', path, { name: 'release', baseline: { experiment_id: ids.experiment }, ...others, looks: 4 });
  await call('GET', '/api/gates');
  await call('GET', path);
}

const FEW = { temperature: [0, 1] };
const SPACE = { temperature: { min: 0, max: 1, step: 0.5 }, tool_choice: ['auto', 'required'] };
const SENSITIVE = 'simulator::param-sensitive';

export async function playParamTunes({ call, submit, ids }) {
  const route = '/api/tool-eval/param-tune';
  const grid = { suite_id: ids.suite, models: [SENSITIVE], search_space: SPACE, mode: 'grid', holdout: 0 };
  const all = {
    ...grid,
    name: 'Is colder better?',
    models: [SENSITIVE, GOOD],
    mode: 'random',
    holdout: 0.3,
    per_model_search_spaces: { [SENSITIVE]: { temperature: [0, 0.5, 1] } },
    trials: 2,
    base: { temperature: 1, tool_choice: 'auto', max_tokens: null, params: {}, system_prompt: null },
    measure: 'overall',
    margin: 0.02,
    samples: 1,
    seed: 1,
    timeout_s: 120,
    budget: { max_requests: 2000 },
    cache: 'use',
    prompt_cache: 'off',
    experiment_id: ids.experiment,
    max_combinations: 500,
  };
  for (const input of [grid, all]) await call('POST', `${route}/estimate`, input);
  const tunes = [
    await submit(route, all),
    await submit(route, { ...grid, models: [SENSITIVE, GOOD], search_space: FEW }),
  ];
  tunes.push(await submit(route, { ...all, search_space: { top_k: [20, 40], top_p: [1] }, mode: 'adaptive' }));
  ids.tune = tunes[0].tune_id;
  for (const { tune_id: id } of tunes) {
    await call('GET', `${route}/history/${id}`);
    await call('GET', `${route}/history/${id}/combos?limit=100`);
    await call('GET', `${route}/history/${id}/space`);
  }
  await call('PATCH', `${route}/history/${ids.tune}`, { name: 'Colder is better' });
  await call('GET', `${route}/history`);
  const levels = { min: 64, max: 4096, levels: 4, scale: 'log' };
  const space = { temperature: [0, 0.5, 1], tool_choice: 'required', max_tokens: levels };
  ids.preset = (await call('POST', '/api/param-presets', { name: 'Temperature', search_space: space })).id;
  await call('GET', '/api/param-presets');
}

export async function playPromptTunes({ call, submit, control, ids }) {
  const route = '/api/tool-eval/prompt-tune';
  const model = 'simulator::prompt-sensitive:weather';
  await control('prompt-sensitive/weather', {
    base: 0.4,
    rules: [{ phrase: 'one call only', where: 'system', gain: 0.4 }],
  });
  await control('meta/weather', { rules: [{ append: 'Make one call only.' }] });
  const quick = { suite_id: ids.suite, models: [model], meta_model: META, mode: 'quick', holdout: 0.3 };
  const all = {
    ...quick,
    name: 'Shorter replies',
    components: ['system_prompt', 'tools/*/description'],
    base: { system_prompt: 'You help.', tools: {} },
    variants: 2,
    population: 6,
    generations: 3,
    selection_ratio: 0.4,
    minibatch: 4,
    max_evals: 300,
    max_growth: 2,
    seed: 1,
    measure: 'overall',
    margin: 0.02,
    samples: 1,
    temperature: 0,
    tool_choice: 'required',
    max_tokens: null,
    params: {},
    timeout_s: 120,
    cache: 'use',
    prompt_cache: 'off',
    budget: { max_requests: 2000 },
    experiment_id: ids.experiment,
    meta_params: { temperature: 1, max_tokens: 8192, timeout_s: 120, params: {} },
  };
  for (const input of [quick, all]) await call('POST', `${route}/estimate`, input);
  const tunes = [await submit(route, all), await submit(route, { ...quick, mode: 'reflective', max_evals: 200 })];
  ids.promptTune = tunes[0].tune_id;
  for (const { tune_id: id } of tunes) {
    await call('GET', `${route}/history/${id}`);
    const { items } = await call('GET', `${route}/history/${id}/candidates?limit=100`);
    for (const { candidate } of items.slice(0, 8)) {
      await call('GET', `${route}/history/${id}/candidates/${candidate}`);
      if (candidate > 0) await call('GET', `${route}/history/${id}/candidates/${candidate}/diff?to=0`);
    }
  }
  await call('PATCH', `${route}/history/${ids.promptTune}`, { name: 'One call only' });
  await call('GET', `${route}/history`);
  await call('GET', `/api/experiments/${ids.experiment}/timeline`);
  const { items: versions } = await call('GET', `/api/prompt-versions?suite_id=${ids.suite}`);
  for (const { id } of versions) await call('GET', `/api/prompt-versions/${id}`);
}

/** Waits until an experiment has determined its best run. */
async function counted(call, id) {
  while ((await call('GET', `/api/experiments/${id}`)).refreshing)
    await new Promise((resolve) => setTimeout(resolve, 200));
}
