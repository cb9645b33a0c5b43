// A private system: it counts the deadlocks of its database.
import type pg from 'pg';
import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { clientOf, weatherSuite, type Answer, type Client } from '../client.js';
import { expectExact } from '../exact.js';
import { playsAll, repeatable, seed } from '../seed.js';
import { startSystem, type System } from '../system.js';
import { until } from '../until.js';

/** A commit plays a short storm with few participants. */
const [WORKERS, CLIENTS, SECONDS] = playsAll ? [8, 24, 90] : [2, 12, 5];
const [CASES, SAMPLES] = [4, 2];
const PROVIDERS = ['left', 'right'];
const MODELS = PROVIDERS.flatMap((key) => ['slow-20:a', 'slow-20:b'].map((id) => `${key}::${id}`));
const [PARAM_TUNES, PROMPT_TUNES] = ['/api/tool-eval/param-tune', '/api/tool-eval/prompt-tune'];
const [JUDGE, META] = ['slow-20:judge', 'meta@20:a'];
const UNDER_WAY = ['pending', 'queued', 'running'];

let system: System;
let suites: string[];
let experiments: string[];
beforeAll(async () => {
  system = await startSystem({ workers: WORKERS });
  const { client } = system;
  for (const key of PROVIDERS) await created(client.post('/api/providers', provider(key)));
  suites = await Promise.all([1, 2].map(() => importSuite()));
  experiments = await Promise.all(suites.map((id) => experimentOf(id)));
});

const provider = (key: string) => ({
  key,
  base_url: `${system.simulator.url}/v1`,
  api_key: `sk-${key}-0123456789`,
  limits: { max_concurrency: 8 },
  models: ['slow-20:a', 'slow-20:b', JUDGE, META].map((id) => ({
    id,
    input_cost_per_mtok: 1,
    output_cost_per_mtok: 1,
  })),
});
const created = async (answer: Promise<Answer>): Promise<any> => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const importSuite = async (): Promise<string> =>
  (await created(system.client.post('/api/tool-eval/import', weatherSuite(CASES)))).suite_id;
const experimentOf = async (suiteId: string): Promise<string> =>
  (await created(system.client.post('/api/experiments', { name: 'Storm', suite_id: suiteId }))).id;

/** Performs random concurrent user actions, and records failures. */
class Person {
  readonly failed: string[] = [];

  constructor(
    readonly client: Client,
    readonly random: () => number,
  ) {}

  async act(untilMs: number): Promise<void> {
    const acts = Object.entries(this.acts).flatMap(([name, [weight]]) => Array<string>(weight).fill(name));
    while (Date.now() < untilMs) {
      const name = this.#one(acts)!;
      const answer = await this.acts[name]![1]();
      if (answer && answer.status >= 500) this.failed.push(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }

  readonly acts: Record<string, [weight: number, act: () => Promise<Answer | undefined>]> = {
    submit: [8, () => this.#submit()],
    cancel: [6, () => this.#job((id) => this.client.post(`/api/jobs/${id}/cancel`), UNDER_WAY)],
    label: [8, () => this.#run((id) => this.#label(id))],
    rename: [
      3,
      () => this.#run((id) => this.client.patch(`/api/tool-eval/history/${id}`, { note: `${this.random()}` })),
    ],
    resume: [5, () => this.#job((id) => this.client.post(`/api/jobs/${id}/resume`), ['cancelled'])],
    remove: [3, () => this.#run((id) => this.client.delete(`/api/tool-eval/history/${id}`))],
    rescore: [2, () => this.#run((id) => this.client.post(`/api/tool-eval/history/${id}/rescore`, {}))],
    extend: [2, () => this.#run((id) => this.client.post(`/api/tool-eval/history/${id}/samples`, { samples: 1 }))],
    jobs: [3, () => this.client.put('/api/settings/jobs', { running_jobs_per_user: 1 + this.#below(6) })],
    cap: [1, () => this.client.put('/api/settings/spending', { monthly_cap_usd: 1000 + this.#below(9) })],
    embedding: [2, () => this.#embedding()],
    provider: [3, () => this.#provider()],
    pause: [1, () => this.#lane()],
    suite: [2, () => this.client.patch(`/api/tool-suites/${this.#one(suites)}`, { description: `${this.random()}` })],
    experiment: [1, () => this.#experiment()],
    baseline: [1, () => this.#baseline()],
    token: [1, () => this.#token()],
    'try out': [2, () => this.#tryOut()],
    tune: [2, () => this.#tune()],
    'tune a prompt': [2, () => this.#tunePrompt()],
    'remove a tune': [2, () => this.#removeTune()],
    gate: [2, () => this.#run((id) => this.#gate(id), 'completed')],
    'run the best': [1, () => this.client.post(`/api/experiments/${this.#one(experiments)}/run-best`)],
    judge: [2, () => this.#run((id) => this.#judge(id), 'completed')],
    report: [2, () => this.#report()],
  };

  #below = (n: number): number => Math.floor(this.random() * n);
  #one = <Of>(of: readonly Of[]): Of | undefined => of[this.#below(of.length)];

  #submit(): Promise<Answer> {
    const n = this.#below(suites.length);
    return this.client.post('/api/tool-eval', {
      suite_id: suites[n],
      models: MODELS.filter(() => this.random() < 0.6)
        .concat(MODELS[0]!)
        .filter(unique),
      samples: SAMPLES,
      cache: 'off',
      ...(this.random() < 0.5 && { experiment_id: experiments[n] }),
    });
  }

  async #run(act: (id: string) => Promise<Answer | undefined>, status = ''): Promise<Answer | undefined> {
    const { body } = await this.client.get(`/api/tool-eval/history?limit=20${status && `&status=${status}`}`);
    const run = this.#one<{ id: string }>(body.items ?? []);
    return run && act(run.id);
  }

  async #job(act: (id: string) => Promise<Answer | undefined>, statuses: string[]): Promise<Answer | undefined> {
    const asked = statuses.map((status) => `status=${status}`).join('&');
    const { body } = await this.client.get(`/api/jobs?limit=20&${asked}`);
    const job = this.#one<{ id: string }>(body.items ?? []);
    return job && act(job.id);
  }

  async #label(runId: string): Promise<Answer | undefined> {
    const { body } = await this.client.get(`/api/tool-eval/history/${runId}/results?limit=20`);
    const results = (body.items ?? []) as { id: string }[];
    if (results.length === 0) return undefined;
    const labels = results
      .sort(() => this.random() - 0.5)
      .map(({ id }) => ({ result_id: id, label: this.#one(['correct', 'wrong']) }));
    return this.client.post(`/api/tool-eval/history/${runId}/labels`, { labels });
  }

  #embedding(): Promise<Answer> {
    const key = this.random() < 0.7 ? this.#one(PROVIDERS)! : null;
    return this.client.put('/api/settings/embedding', { provider_key: key, model_id: key && 'slow-20:a' });
  }

  #provider(): Promise<Answer> {
    const key = this.#one(PROVIDERS)!;
    const limits = { max_concurrency: 4 + this.#below(8) };
    const other = this.random() < 0.5 && { api_key: `sk-${this.#one(PROVIDERS)}-0123456789` };
    return this.client.patch(`/api/providers/${key}`, { limits, ...other });
  }

  async #lane(): Promise<Answer | undefined> {
    const { body } = await this.client.get('/api/lanes');
    const lane = this.#one<{ id: string }>(body.items ?? []);
    if (!lane) return undefined;
    await this.client.post(`/api/lanes/${lane.id}/pause`);
    return this.client.post(`/api/lanes/${lane.id}/resume`);
  }

  async #experiment(): Promise<Answer> {
    const n = this.#below(suites.length);
    const old = experiments[n]!;
    experiments[n] = await experimentOf(suites[n]!);
    return this.client.delete(`/api/experiments/${old}`);
  }

  #baseline(): Promise<Answer | undefined> {
    return this.#run((id) => this.client.put(`/api/experiments/${this.#one(experiments)}/baseline`, { eval_id: id }));
  }

  async #token(): Promise<Answer> {
    const { body } = await this.client.post('/api/tokens', {
      name: 'storm',
      role: 'owner',
      user: `u${this.#below(4)}`,
    });
    return this.client.delete(`/api/tokens/${body.id ?? body.token?.id}`);
  }

  #tryOut(): Promise<Answer> {
    const { tools } = weatherSuite(1);
    const asked = { prompt: 'How is the weather in Paris?', expected_tool: null };
    return this.client.post('/api/tool-eval/try', { case: asked, tools, models: [this.#one(MODELS)] });
  }

  #tune(): Promise<Answer> {
    const n = this.#below(suites.length);
    return this.client.post(PARAM_TUNES, {
      ...{ suite_id: suites[n], models: [this.#one(MODELS)], cache: 'off' },
      ...{ mode: 'grid', search_space: { temperature: [0, 1] }, holdout: 0 },
      ...(this.random() < 0.5 && { experiment_id: experiments[n] }),
    });
  }

  #judge(runId: string): Promise<Answer> {
    return this.client.post('/api/judge', { eval_id: runId, judge: `left::${JUDGE}`, which: 'all' });
  }

  #tunePrompt(): Promise<Answer> {
    return this.client.post(PROMPT_TUNES, {
      ...{ suite_id: this.#one(suites), models: [this.#one(MODELS)], cache: 'off' },
      ...{ mode: 'quick', meta_model: `left::${META}`, variants: 2, holdout: 0 },
    });
  }

  async #removeTune(): Promise<Answer | undefined> {
    const route = this.#one([PARAM_TUNES, PROMPT_TUNES])!;
    const { body } = await this.client.get(`${route}/history?limit=20`);
    const tune = this.#one<{ id: string }>(body.items ?? []);
    return tune && this.client.delete(`${route}/history/${tune.id}`);
  }

  async #report(): Promise<Answer | undefined> {
    const { body } = await this.client.get('/api/judge/reports?limit=20');
    const report = this.#one<{ id: string }>(body.items ?? []);
    if (!report) return undefined;
    const route = `/api/judge/reports/${report.id}`;
    return this.random() < 0.5 ? this.client.delete(route) : this.client.post(`${route}/rerun`);
  }

  async #gate(runId: string): Promise<Answer> {
    const { body: run } = await this.client.get(`/api/tool-eval/history/${runId}`);
    const rules = { name: `${this.random()}`, suite_id: run.suite.id, baseline: { eval_id: runId } };
    const { status, body: gate } = await this.client.post('/api/gates', rules);
    if (status >= 300) return { status, body: gate } as Answer;
    const started = await this.client.post(`/api/gates/${gate.id}/run`, {});
    if (this.random() < 0.5) await this.client.delete(`/api/gates/${gate.id}`);
    return started;
  }
}
const unique = <Of>(one: Of, n: number, all: readonly Of[]): boolean => all.indexOf(one) === n;

async function people(): Promise<Person[]> {
  const users = await Promise.all(
    Array.from({ length: 4 }, (_, n) =>
      created(system.client.post('/api/tokens', { name: 'person', role: 'owner', user: `u${n}` })),
    ),
  );
  return Array.from({ length: CLIENTS }, (_, n) => {
    const { token } = users[n % users.length];
    return new Person(clientOf(system.client.url, token.token ?? token), seededRandom(seed * 100 + n));
  });
}

const finished = (sql: pg.Pool) =>
  until(
    async () => (await sql.query(`SELECT 1 FROM job WHERE status = ANY ($1) LIMIT 1`, [UNDER_WAY])).rowCount === 0,
    {
      what: 'all jobs to end',
      timeoutMs: 180_000,
    },
  );

/** Connections report their counts when they end. */
async function deadlocks(): Promise<number> {
  const { sql } = system;
  const { rows: others } = await sql.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  const pids = others.map(({ pid }) => pid);
  await sql.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
  const isOver = async (): Promise<boolean> =>
    (await sql.query('SELECT FROM pg_stat_activity WHERE pid = ANY ($1)', [pids])).rowCount === 0;
  await until(isOver, { what: 'connections to end' });
  const { rows } = await sql.query<{ n: number }>(
    'SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]!.n;
}

it(`Postgres ends nobody's statement when people change the same things at once (seed ${seed})`, async () => {
  await repeatable(async () => {
    const all = await people();
    await Promise.all(all.map((person) => person.act(Date.now() + SECONDS * 1000)));
    await created(system.client.put('/api/settings/jobs', { running_jobs_per_user: 100 }));
    await finished(system.sql);
    const ends = await system.sql.query(
      `SELECT j.id FROM job j LEFT JOIN job_event e ON e.job_id = j.id
         AND e.name IN ('job_completed', 'job_cancelled', 'job_failed')
       GROUP BY j.id HAVING count(e.seq) <> 1`,
    );
    expect(ends.rows).toEqual([]);
    const completed = await system.sql.query<{ id: string; items: number }>(
      `SELECT r.id, (SELECT sum(n)::int FROM target WHERE run_id = r.id) AS items
       FROM run r WHERE r.status = 'completed' AND r.generation = 1 ORDER BY r.id LIMIT 200`,
    );
    const orphans = await system.sql.query(
      `SELECT id FROM run r WHERE extends_run_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM run base WHERE base.id = r.extends_run_id)`,
    );
    expect(orphans.rows).toEqual([]);
    for (const { id, items } of completed.rows) await expectExact(system.sql, id, items);
    expect({ failed: all.flatMap(({ failed }) => failed), deadlocks: await deadlocks() }).toEqual({
      failed: [],
      deadlocks: 0,
    });
  });
}, 590_000);
