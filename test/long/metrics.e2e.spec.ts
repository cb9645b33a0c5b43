// A private system: it counts all of its activity.
import { readFileSync } from 'node:fs';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { startProcess, until, type RunningProcess } from '../processes.js';
import { createDatabase, createRedis, freePort } from '../services.js';
import { installPackages } from '../tools.js';
import { untilRunCompleted } from '../until-ended.js';

let processes: Record<'API' | 'Worker' | 'Simulator', RunningProcess>;
let client: Client;
let metricsPorts: Record<'API' | 'Worker', number>;
beforeAll(async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  metricsPorts = { API: await freePort(), Worker: await freePort() };
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'debug' };
  const [API, Worker, Simulator] = await Promise.all([
    startProcess('api', { ...env, TOOLMARK_METRICS_PORT: String(metricsPorts.API) }),
    startProcess('worker', { ...env, TOOLMARK_METRICS_PORT: String(metricsPorts.Worker) }),
    startProcess('simulator'),
  ]);
  processes = { API, Worker, Simulator };
  client = clientOf(processes.API.url);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${processes.Simulator.url}/v1`,
    api_key: 'sk-metrics-0123456789',
    limits: { max_concurrency: 4, requests_per_minute: 600 }, // less than any machine can send
    models: [
      { id: 'instant', input_cost_per_mtok: 1, output_cost_per_mtok: 1 },
      { id: 'slow-60000:metrics' },
      { id: 'wrong-key' },
    ],
  });
});

/** The labels of every series that a scrape has shown. */
const exposed = new Map<string, Set<string>>();
async function read(url: string): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const [, series, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const seen = exposed.get(series!) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) seen.add(label!);
    exposed.set(series!, seen);
  }
  return text;
}
const scrape = (name: keyof typeof processes): Promise<string> =>
  read(name === 'Simulator' ? processes.Simulator.url : `http://127.0.0.1:${metricsPorts[name]}`);
/** The values of a metric by its labels, without the lane's id. */
const values = (text: string, metric: string): Record<string, number> =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`^${metric}(?:\\{(.*?)\\})? (.*)$`, 'gm'))].map(([, labels = '', value]) => [
      labels.replace(/lane="[^"]*",?/, ''),
      Number(value),
    ]),
  );
async function submit(cases: number, model: string) {
  const suite_id = await client.importSuite(weatherSuite(cases));
  return (await client.post('/api/tool-eval', { suite_id, models: [model], cache: 'off' })).body as {
    eval_id: string;
    job_id: string;
  };
}

it('docs/metrics.md names exactly the metrics that each process exposes', async () => {
  for (const name of Object.keys(processes) as (keyof typeof processes)[]) {
    const exposed = [...(await scrape(name)).matchAll(/^# TYPE (\w+)/gm)].map(([, metric]) => metric!);
    const sections = readFileSync('docs/metrics.md', 'utf8')
      .split(/^## /m)
      .filter((section) => section.startsWith(name));
    const named = sections.flatMap((section) =>
      [...section.matchAll(/^\| `(\w+)` +\|/gm)].map(([, metric]) => metric!),
    );
    expect(exposed.filter((metric) => !/^(process|nodejs)_/.test(metric)).sort()).toEqual(named.sort());
    expect(exposed).toContain('nodejs_eventloop_lag_seconds');
  }
});

it('workers count their work by lane, and never by run or case', async () => {
  const { eval_id } = await submit(30, 'sim::instant');
  const failing = await submit(2, 'sim::wrong-key');
  await untilRunCompleted(client, eval_id);
  await untilRunCompleted(client, failing.eval_id);
  const text = await scrape('Worker');
  expect(values(text, 'toolmark_items_total')).toEqual({
    'lane_name="sim",outcome="scored"': 30,
    'lane_name="sim",outcome="auth"': 2,
  });
  expect(values(text, 'toolmark_model_requests_total')).toMatchObject({ 'lane_name="sim",outcome="answered"': 30 });
  expect(values(text, 'toolmark_results_settled_total')).toEqual({ '': 32 });
  expect(values(text, 'toolmark_late_settlements_total')).toEqual({ '': 0 });
  expect(values(text, 'toolmark_dispatch_lag_seconds_count')).toEqual({ 'lane_name="sim"': 32 });
  expect(values(text, 'toolmark_worker_slots')).toEqual({ 'lane_name="sim"': 5 }); // for four requests
  expect(values(text, 'toolmark_worker_items_in_hand')).toEqual({ 'lane_name="sim"': 0 });
  expect(values(text, 'toolmark_budget_wait_seconds_total')['lane_name="sim",reason="requests"']).toBeGreaterThan(0);
  expect(values(text, 'toolmark_cost_usd_total')['lane_name="sim"']).toBeGreaterThan(0);
  expect(values(text, 'toolmark_tokens_total')['lane_name="sim",direction="prompt"']).toBeGreaterThan(0);
  expect(text).not.toContain(eval_id);
});

it('the port that serves people says nothing of the names of lanes', async () => {
  for (const name of ['API', 'Worker'] as const) {
    const open = await read(processes[name].url);
    expect(open).not.toContain('lane_name');
    if (name === 'Worker') expect(open).toMatch(/^toolmark_items_total\{lane="[0-9a-f-]+",outcome=/m);
    expect(open.match(/^# TYPE /gm)).toHaveLength((await scrape(name)).match(/^# TYPE /gm)!.length);
  }
});

it('log lines of an item name its run and lane', async () => {
  const { eval_id, job_id } = await submit(3, 'sim::slow-60000:metrics');
  await until(async () => values(await scrape('Worker'), 'toolmark_worker_items_in_hand')['lane_name="sim"'] === 3, {
    what: 'three items in hand',
  });
  await client.post('/api/tool-eval/cancel', { job_id });
  const given = await until(
    () =>
      processes.Worker.logs()
        .split('\n')
        .find((line) => line.includes('An item was released')),
    { what: 'the log to say so' },
  );
  const [lane] = (await client.get('/api/lanes')).body.items;
  expect(JSON.parse(given)).toMatchObject({ run: eval_id, lane: lane.id, msg: 'An item was released' });
});

it('the API reports the useful number of slots and whether there is work, even without a worker', async () => {
  await until(async () => values(await scrape('API'), 'toolmark_fleet_work')[''] === 0, {
    what: 'the fleet to have done all that is due after the runs before',
  });
  expect(values(await scrape('API'), 'toolmark_fleet_useful_slots')).toEqual({ '': 0 });
  const { eval_id, job_id } = await submit(10, 'sim::slow-60000:metrics');
  await until(async () => values(await scrape('API'), 'toolmark_lane_permits_in_flight')['lane_name="sim"'] === 4, {
    what: 'four requests under way',
  });
  // A 429 from the simulator lowers the limits of its lane for some seconds.
  const text = await until(
    async () => {
      const scraped = await scrape('API');
      return values(scraped, 'toolmark_useful_slots')['lane_name="sim"'] === 4 ? scraped : undefined;
    },
    { what: 'the lane to have its whole limits' },
  );
  expect(values(text, 'toolmark_lane_backlog_items')).toEqual({ 'lane_name="sim"': 10 });
  for (const metric of ['toolmark_useful_slots', 'toolmark_desired_slots'])
    expect(values(text, metric)).toEqual({ 'lane_name="sim"': 4 });
  expect(values(text, 'toolmark_fleet_work')).toEqual({ '': 1 });
  expect(values(text, 'toolmark_lane_limit')).toEqual({
    'lane_name="sim",limit="concurrency"': 4,
    'lane_name="sim",limit="requests_per_minute"': 600,
  });
  expect(values(text, 'toolmark_store_up')).toEqual({ 'store="postgres"': 1, 'store="redis"': 1 });
  expect(text).not.toContain(eval_id);
  await processes.Worker.kill('SIGKILL');
  await until(async () => values(await scrape('API'), 'toolmark_useful_slots')['lane_name="sim"'] === 4, {
    what: 'the slots to be reported',
  });
  await client.post('/api/tool-eval/cancel', { job_id });
  await until(async () => values(await scrape('API'), 'toolmark_fleet_useful_slots')[''] === 0, {
    what: 'nothing to be useful any more',
  });
});

/** What this system has no reason to count. */
const RARE: Record<string, string[]> = {
  toolmark_control_step_failures_total: ['step'],
  toolmark_item_crashes_total: ['lane', 'lane_name'],
  toolmark_items_from_cache_total: ['lane', 'lane_name'],
  toolmark_live_failures_total: ['step'],
  toolmark_refused_requests_total: ['reason'],
  toolmark_redeliveries_total: ['lane', 'lane_name', 'reason'],
};

it('each query of the dashboard, and each alert, reads metrics and labels that the processes expose', async () => {
  const { queryChecker, readQueries } = (await import('../../scripts/deploy/queries.mjs' as string)) as {
    readQueries(root: string): object[];
    queryChecker(
      modules: string,
      labelsOf: (series: string) => string[] | undefined,
    ): (query: object) => {
      faults: string[];
    };
  };
  const check = queryChecker(installPackages('deploy/tools'), (series) =>
    exposed.has(series) ? [...exposed.get(series)!] : RARE[series],
  );
  const queries = readQueries('.');
  expect(queries.length).toBeGreaterThan(50);
  expect(queries.flatMap((query) => check(query).faults)).toEqual([]);
});
