// Shapes of runs: each makes its data and returns the paths of the screens that show it, by what they are.
import { FALLING, nightModels, sixModels, sixtyModels, twoModels } from './models.mjs';
import { kindsSuite, suiteOf, thinkerScript } from './suites.mjs';

const NIGHTS = 400;
const FALLS_AT = 230;
/** Nights in which a provider was down. */
const DOWN = [301, 302, 303];
const DAY_MS = 86_400_000;

const inputs = (of) => of.map(({ model }) => model);
const targets = (provider, models) => models.map(({ id }) => `${provider}::${id}`);
const screens = (id) => ({
  run: `/runs/${id}`,
  results: `/runs/${id}/results`,
  failures: `/runs/${id}/failures`,
  matrix: `/runs/${id}/matrix`,
});

/** The first result of a run that a query finds, as a path. */
async function firstResult(call, runId, query = '') {
  const { items } = await call('GET', `/api/tool-eval/history/${runId}/results?limit=1${query}`);
  return `/runs/${runId}/results/${items[0].id}`;
}

async function small({ call, provider, suite, run }) {
  const models = inputs(twoModels);
  await provider('two', 'Two', models);
  const id = await run({ suite_id: await suite(suiteOf('Five cases', 5)), models: targets('two', models) });
  return { ...screens(id), result: await firstResult(call, id) };
}

/** Ties of three models that pass everything, and of three that fail everything. */
async function ties({ provider, suite, run }) {
  const instances = (base) => ['ada', 'bell', 'cray'].map((name) => ({ id: `${base}:${name}` }));
  await provider('ties', 'Ties', [...instances('perfect-ish'), ...instances('text-only')]);
  const suite_id = await suite(suiteOf('Ties', 40));
  const ofAll = async (base) => screens(await run({ suite_id, models: targets('ties', instances(base)) }));
  const [pass, fail] = [await ofAll('perfect-ish'), await ofAll('text-only')];
  return {
    'all pass': pass.run,
    'all pass, matrix': pass.matrix,
    'all pass, failures': pass.failures,
    'all fail': fail.run,
    'all fail, failures': fail.failures,
  };
}

/** Two models, one of which refuses every request. */
async function errored({ call, control, provider, suite, run }) {
  const models = [{ id: 'careless-arguments:half' }, { id: 'scripted:half' }];
  await provider('half', 'Half', models);
  await control('scripted/half', {
    replies: [{ status: 400, body: { error: { message: 'The model cannot be loaded: out of memory.' } } }],
  });
  const id = await run({ suite_id: await suite(suiteOf('Errored half', 40)), models: targets('half', models) });
  return { ...screens(id), result: await firstResult(call, id, '&outcome=errored') };
}

/** Every kind of case, in right-to-left scripts, with long names, thoughts and deep arguments. */
async function kinds({ call, control, provider, suite, run }) {
  const models = [
    { id: 'scripted:thinker', name: 'חושב / thinker', input_cost_per_mtok: 3, output_cost_per_mtok: 15 },
    { id: 'perfect-ish:kinds', input_cost_per_mtok: 1, output_cost_per_mtok: 4 },
    { id: 'careless-arguments:kinds' },
    { id: 'host:deepseek:kinds' },
  ];
  await provider('kinds', 'ספק מודלים', models);
  await control('scripted/thinker', thinkerScript);
  const suiteId = await suite(kindsSuite);
  const id = await run({ suite_id: suiteId, models: targets('kinds', models), name: 'כל סוגי המקרים (every kind)' });
  const { items } = await call('GET', `/api/tool-eval/history/${id}/results?limit=50&model=kinds::scripted:thinker`);
  const results = items.map((one) => [`result: ${one.case_name.slice(0, 25)}`, `/runs/${id}/results/${one.id}`]);
  return { suite: `/suites/${suiteId}`, ...screens(id), ...Object.fromEntries(results) };
}

async function models({ call, provider, suite, run }) {
  const sixty = inputs(sixtyModels);
  await provider('fleet', 'Fleet', sixty);
  const suite_id = await suite(suiteOf('Sixty models', 200, 10));
  const id = await run({ suite_id, models: targets('fleet', sixty), name: 'Sixty models' });
  const again = await run({ suite_id, models: targets('fleet', sixty.slice(0, 40)), name: 'Forty of them' });
  const compare = `/compare?${new URLSearchParams({ runs: JSON.stringify([id, again]) })}`;
  return { ...screens(id), result: await firstResult(call, id), 'forty of them': `/runs/${again}`, compare };
}

async function cases({ call, provider, suite, run }) {
  const six = inputs(sixModels);
  await provider('six', 'Six', six);
  const suiteId = await suite(suiteOf('Ten thousand cases', 10_000, 40));
  const id = await run({ suite_id: suiteId, models: targets('six', six), name: 'Ten thousand cases' });
  return { suite: `/suites/${suiteId}`, ...screens(id), result: await firstResult(call, id) };
}

/** Runs of every night, one model of which gets worse. */
async function nights({ call, control, sql, provider, suite, run }) {
  const three = inputs(nightModels);
  await provider('night', 'Night', three);
  const suite_id = await suite(suiteOf('Every night', 12));
  const experiment = await call('POST', '/api/experiments', { name: 'Every night', suite_id });
  const started = Date.now() - NIGHTS * DAY_MS;
  const base = (value) =>
    control(`prompt-sensitive/${encodeURIComponent(FALLING)}`, { base: value, seed: 2, rules: [] });
  const ids = [];
  for (let night = 0; night < NIGHTS; night++) {
    if (night === FALLS_AT) await base(0.45);
    if (DOWN.includes(night)) await control('models/prompt-sensitive:nightly-nano', { on: false, status: 400 });
    const id = await run({
      suite_id,
      models: targets('night', three),
      samples: 2,
      experiment_id: experiment.id,
      name: `Night ${night + 1}`,
    });
    if (DOWN.includes(night)) await control('models/prompt-sensitive:nightly-nano', { on: true });
    await moveTo(sql, id, started + night * DAY_MS);
    ids.push(id);
  }
  await base(0.86);
  const six = [0, 100, 200, 240, 300, 399].map((night) => ids[night]);
  const compare = (some) => `/compare?${new URLSearchParams({ runs: JSON.stringify(some) })}`;
  return {
    experiment: `/experiments/${experiment.id}`,
    suite: `/suites/${suite_id}`,
    'last night': `/runs/${ids.at(-1)}`,
    'compare two': compare([ids[FALLS_AT - 1], ids[FALLS_AT]]),
    'compare six': compare(six),
  };
}

/** As if the run had been made and had ended then. */
async function moveTo(sql, runId, at) {
  const time = new Date(at);
  await sql.query('UPDATE run SET created_at = $2, started_at = $2, finished_at = $2 WHERE id = $1', [runId, time]);
  await sql.query('UPDATE target SET finished_at = $2 WHERE run_id = $1 AND finished_at IS NOT NULL', [runId, time]);
  await sql.query('UPDATE job SET created_at = $2, started_at = $2, finished_at = $2 WHERE result_ref = $1', [
    runId,
    time,
  ]);
}

export const runs = { small, ties, errored, kinds, models, cases, nights };
