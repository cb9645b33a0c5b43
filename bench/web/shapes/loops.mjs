// Shapes of what makes runs by itself: tunes, gates and judges.
import { sixModels, twoModels } from './models.mjs';
import { suiteOf } from './suites.mjs';

const LABELS = 60;

/** Tunes of one arm, of a curve, of a grid, and of three parameters. */
async function tunes({ call, ended, provider, suite }) {
  const models = [
    { id: 'param-sensitive:tuned', input_cost_per_mtok: 1, output_cost_per_mtok: 4 },
    { id: 'careless-arguments:tuned', input_cost_per_mtok: 0.2, output_cost_per_mtok: 0.8 },
  ];
  await provider('tuned', 'Tuned', models);
  const suite_id = await suite(suiteOf('Tuned', 60));
  const tune = async (name, input) => {
    const base = { temperature: 1, tool_choice: 'auto' };
    const submitted = await call('POST', '/api/tool-eval/param-tune', {
      suite_id,
      models: ['tuned::param-sensitive:tuned'],
      base,
      ...input,
    });
    const { status, error } = await ended(submitted.job_id);
    if (status !== 'completed') throw new Error(`The tune of ${name} ended as ${status}: ${error}`);
    return [name, `/tunes/${submitted.tune_id}`];
  };
  const temperature = { min: 0, max: 1, step: 0.1 };
  const tool_choice = ['auto', 'required'];
  const three = { temperature: [0, 0.3, 0.6, 1], top_p: [0.3, 0.5, 0.8, 1], tool_choice };
  const both = ['tuned::param-sensitive:tuned', 'tuned::careless-arguments:tuned'];
  return Object.fromEntries([
    await tune('1 x 1', { search_space: { temperature: [0.3] }, mode: 'grid' }),
    await tune('temperature', { search_space: { temperature }, mode: 'grid' }),
    await tune('temperature x tool_choice', { search_space: { temperature, tool_choice }, mode: 'grid' }),
    await tune('two models', { search_space: { temperature, tool_choice }, mode: 'grid', models: both }),
    await tune('three parameters', { search_space: three }),
    await tune('random', { search_space: three, mode: 'random', trials: 12 }),
  ]);
}

async function prompts({ call, control, ended, provider, suite }) {
  await provider('prompted', 'Prompted', [{ id: 'prompt-sensitive:prompted' }, { id: 'meta:prompted' }]);
  const phrases = [
    { where: 'system', phrase: 'Take values as they are written.', gain: 0.25 },
    { where: 'tools/get_weather', phrase: 'The weather of today.', when: 'weather', gain: 0.3 },
    { where: 'tools/set_alarm', phrase: 'Write the hour in full.', when: 'alarm', gain: 0.3 },
  ];
  const keyOf = (where) => (where === 'system' ? 'system_prompt' : `${where}/description`);
  await control('prompt-sensitive/prompted', { base: 0.4, rules: phrases });
  await control('meta/prompted', {
    rules: phrases.map(({ where, phrase }) => ({ when: keyOf(where), append: phrase })),
    otherwise: 'Take care.',
  });
  const suite_id = await suite(suiteOf('Prompted', 60));
  const tune = async (input) => {
    const submitted = await call('POST', '/api/tool-eval/prompt-tune', {
      suite_id,
      models: ['prompted::prompt-sensitive:prompted'],
      meta_model: 'prompted::meta:prompted',
      ...input,
    });
    await ended(submitted.job_id);
    return `/tunes/prompts/${submitted.tune_id}`;
  };
  return {
    reflective: await tune({ max_evals: 600 }),
    evolutionary: await tune({ mode: 'evolutionary', population: 5, generations: 4 }),
    versions: '/prompts',
  };
}

/** Gates that pass, fail, and cannot tell after four looks. */
async function gates({ call, control, ended, provider, suite, run }) {
  const models = [...twoModels, sixModels[2]].map(({ model }) => model);
  await provider('gated', 'Gated', models);
  const suite_id = await suite(suiteOf('Gated', 60));
  const targets = models.map(({ id }) => `gated::${id}`);
  const settings = { models: targets, cache: 'off', model_order: 'parallel' };
  const baseline = { eval_id: await run({ suite_id, ...settings, samples: 4, name: 'Baseline' }) };
  const gate = (name, rules) => call('POST', '/api/gates', { name, suite_id, baseline, ...rules });
  const runOf = async ({ id }, config) => {
    const submitted = await call('POST', `/api/gates/${id}/run`, { config: { ...settings, ...config } });
    await ended(submitted.job_id);
    return `/gates/${id}/runs/${submitted.gate_run_id}`;
  };
  const name = `Release of ${new Date().toISOString().slice(11, 19)}`;
  const wide = await gate(name, { margin: 0.1, critical_tags: ['critical'] });
  const strict = await gate(`${name}, strict`, { margin: 0.02 });
  const places = {
    gate: `/gates/${wide.id}`,
    passes: await runOf(wide, { models: targets.slice(0, 1) }),
    'all three models': await runOf(wide, {}),
    'inconclusive after four looks': await runOf(strict, {}),
  };
  await control(`prompt-sensitive/${encodeURIComponent(models[0].id)}`, { base: 0.5, seed: 9, rules: [] });
  places.fails = await runOf(wide, {});
  const { base, seed } = twoModels[0];
  await control(`prompt-sensitive/${encodeURIComponent(models[0].id)}`, { base, seed, rules: [] });
  return places;
}

/** A report of a judge that errs, and labels of people who agree with it mostly. */
async function judged({ call, control, ended, provider, suite, run }) {
  const three = sixModels.slice(1, 4).map(({ model }) => model);
  await provider('judged', 'Judged', [
    ...three,
    { id: 'judge:erring', input_cost_per_mtok: 2, output_cost_per_mtok: 8 },
  ]);
  await control('judge/erring', {
    style: 'right',
    table: [
      { when: 'Rome', verdict: 'acceptable', tool: 'acceptable_alternative', arguments: 'equivalent' },
      {
        when: 'Oslo',
        expectation_at_fault: true,
        expectation_note: 'The request names no unit, the case expects one.',
      },
      { when: 'subject "Report 1', verdict: 'wrong' },
    ],
  });
  const suite_id = await suite(suiteOf('Judged', 60));
  const eval_id = await run({ suite_id, models: three.map(({ id }) => `judged::${id}`), name: 'Judged' });
  await call('PUT', '/api/settings/judge', { judge: 'judged::judge:erring' });
  const { report_id, job_id } = await call('POST', '/api/judge', { eval_id, which: 'all' });
  await ended(job_id);
  for (let n = 0; n < LABELS; n++) {
    const { items } = await call('GET', '/api/judge/label-queue?limit=1');
    if (items.length === 0) break;
    const { eval_id: runId, result } = items[0];
    const seems = result.passed ? 'correct' : 'wrong';
    const other = result.passed ? 'wrong' : n % 2 === 0 ? 'acceptable' : 'correct';
    const path = `/api/tool-eval/history/${runId}/results/${result.id}/label`;
    await call('PUT', path, {
      label: n % 6 === 5 ? other : seems,
      ...(n % 6 === 5 && { note: 'The user would not mind.' }),
    });
  }
  return {
    report: `/judge/reports/${report_id}`,
    calibration: '/judge/calibration',
    labels: '/judge/labels',
    run: `/runs/${eval_id}`,
  };
}

export const loops = { tunes, prompts, gates, judged };
