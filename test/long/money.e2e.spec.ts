import { weatherSuite, type Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

const PRICES = { input_cost_per_mtok: 1000, output_cost_per_mtok: 1000 };
let system: TeamSystem;
let client: Client;
let sql: TeamSystem['sql'];
let control: TeamSystem['control'];
let requests: TeamSystem['requests'];
let script: TeamSystem['script'];
beforeAll(async () => {
  system = await joinSystem();
  ({ client, sql, control, requests, script } = system);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    limits: { max_concurrency: 4 },
    models: [
      { id: 'perfect-ish', ...PRICES },
      { id: 'slow-40', ...PRICES },
      { id: 'slow-41', unsupported_params: ['seed'] },
      { id: 'scripted:notes' },
      { id: 'embeddings', input_cost_per_mtok: 1000 },
    ],
  });
});

async function submit(cases: number, models: string[], more: object = {}) {
  const suite_id = await client.importSuite(weatherSuite(cases));
  return client.post('/api/tool-eval', { suite_id, models, cache: 'off', ...more });
}
const run = async (evalId: string) => (await client.get(`/api/tool-eval/history/${evalId}`)).body;
const ended = (evalId: string) =>
  until(
    async () => {
      const now = await run(evalId);
      return now.finished_at && now.score !== null && now;
    },
    { what: 'the run to end' },
  );
/** The window of a lane with four slots: four running items, two waiting. */
const WINDOW = 6;

describe('a budget', () => {
  it('of requests stops the run in state budget_exceeded, exactly there, and keeps what is settled', async () => {
    const { body } = await submit(40, ['slow-40'], { budget: { max_requests: 15 } });
    const done = await ended(body.eval_id);
    expect(done).toMatchObject({ status: 'budget_exceeded', counts: { settled: 15, passed: 15 } });
    const job = (await client.get(`/api/jobs/${body.job_id}`)).body;
    expect(job).toMatchObject({
      status: 'budget_exceeded',
      detail: '15 of 15 requests are made.',
      progress: { done: 15, total: 40 },
    });
    const { rows } = await sql.query(
      `SELECT name, data::json ->> 'status' AS status FROM job_event WHERE job_id = $1 ORDER BY seq DESC LIMIT 1`,
      [body.job_id],
    );
    expect(rows).toEqual([{ name: 'job_completed', status: 'budget_exceeded' }]);
  }, 60_000);

  it('of dollars stops it no more than one window later, and a larger one lets it run to its end', async () => {
    const { body } = await submit(60, ['slow-40'], { budget: { max_cost_usd: 3 } });
    const done = await ended(body.eval_id);
    expect(done.status).toBe('budget_exceeded');
    const results = (await client.get(`/api/tool-eval/history/${body.eval_id}/results?limit=200`)).body.items;
    const dearest = Math.max(...results.map((result: any) => result.cost_usd));
    const cost = results.reduce((sum: number, result: any) => sum + result.cost_usd, 0);
    expect(cost).toBeGreaterThanOrEqual(3);
    expect(cost).toBeLessThan(3 + WINDOW * dearest);
    expect((await client.post(`/api/tool-eval/history/${body.eval_id}/resume`, {})).body).toMatchObject({
      status: 422,
      detail: expect.stringMatching(/budget/),
    });
    expect((await client.post(`/api/tool-eval/history/${body.eval_id}/resume`, { budget: null })).status).toBe(202);
    const whole = await ended(body.eval_id);
    expect(whole).toMatchObject({ status: 'completed', counts: { total: 60, settled: 60, passed: 60 } });
    expect(
      (await sql.query('SELECT sum(requests)::int AS n FROM target WHERE run_id = $1', [body.eval_id])).rows[0].n,
    ).toBe(60);
  }, 60_000);

  it('of dollars is refused for models without prices', async () => {
    const { body } = await submit(1, ['slow-41'], { budget: { max_cost_usd: 1 } });
    expect(body).toMatchObject({ status: 422, errors: [{ path: '/budget/max_cost_usd' }] });
  });

  it('of a month applies to the whole team, and still counts the spending of deleted runs', async () => {
    const before = (await client.get('/api/settings/spending')).body;
    expect(before).toMatchObject({ monthly_cap_usd: null, month: expect.stringMatching(/^\d{4}-\d\d$/) });
    const first = await submit(3, ['perfect-ish']);
    const { summaries } = await ended(first.body.eval_id);
    await client.delete(`/api/tool-eval/history/${first.body.eval_id}`);
    const spent = (await client.get('/api/settings/spending')).body.spent_usd;
    expect(spent).toBeCloseTo(before.spent_usd + summaries[0].cost_usd);

    expect((await client.put('/api/settings/spending', { monthly_cap_usd: spent + 1 })).status).toBe(200);
    const over = await submit(60, ['slow-40', 'slow-41'], { model_order: 'parallel' });
    const stopped = await ended(over.body.eval_id);
    expect(stopped.status).toBe('budget_exceeded');
    expect((await client.get(`/api/jobs/${over.body.job_id}`)).body.detail).toMatch(/monthly cap/);
    expect((await submit(1, ['perfect-ish'])).body).toMatchObject({
      status: 409,
      code: 'monthly_cap_reached',
    });
    expect((await submit(1, ['slow-41'])).status).toBe(202);
    await client.put('/api/settings/spending', { monthly_cap_usd: null });
  }, 60_000);
});

describe('an embedding model', () => {
  const tool = {
    type: 'function',
    function: { name: 'note', parameters: { type: 'object', properties: { text: { type: 'string' } } } },
  };
  const reply = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'note', arguments: '{"text":"buy fresh milk"}' } }],
  };
  /** A run of a model without prices; each case compares a different text by meaning. */
  async function submitNotes(name: string, cases: number) {
    const prompts = Array.from({ length: cases }, (_, n) => `${name} ${n}`);
    await script('notes', { by_prompt: Object.fromEntries(prompts.map((prompt) => [prompt, reply])) });
    const file = {
      name,
      tools: [tool],
      test_cases: prompts.map((prompt) => ({
        prompt,
        expected_tool: 'note',
        expected_params: { text: `get milk, ${prompt}` },
        param_scoring: 'semantic',
      })),
    };
    const {
      body: { suite_id },
    } = await client.post('/api/tool-eval/import', file);
    return client.post('/api/tool-eval', { suite_id, models: ['scripted:notes'], cache: 'off' });
  }
  const spent = async (): Promise<number> => (await client.get('/api/settings/spending')).body.spent_usd;

  it('is paid by the team once for each text, and its runs end when the month is spent', async () => {
    await client.put('/api/settings/embedding', { provider_key: 'sim', model_id: 'embeddings' });
    const before = await spent();
    expect((await ended((await submitNotes('first', 2)).body.eval_id)).status).toBe('completed');
    const first = await spent();
    expect(first).toBeGreaterThan(before + 0.005); // Three short texts at a tenth of a cent per token.
    expect((await ended((await submitNotes('first', 2)).body.eval_id)).status).toBe('completed');
    expect(await spent()).toBe(first);

    await client.put('/api/settings/spending', { monthly_cap_usd: first + 0.03 });
    const stopped = await ended((await submitNotes('second', 60)).body.eval_id);
    expect(stopped).toMatchObject({ status: 'budget_exceeded', counts: { errored: 0 } });
    expect(stopped.counts.settled).toBeLessThan(60);
    expect((await submitNotes('third', 1)).body).toMatchObject({
      status: 409,
      code: 'monthly_cap_reached',
    });
    expect(
      (await client.post(`/api/tool-eval/history/${stopped.id}/rescore`, { param_scoring: 'semantic' })).status,
    ).toBe(409);
    expect((await submit(1, ['slow-41'])).status).toBe(202);
    await client.put('/api/settings/spending', { monthly_cap_usd: null });
  }, 60_000);
});

describe('resuming a run', () => {
  it('takes errored and missing items, and requests nothing that only needs a new score', async () => {
    await control('perfect-ish', { on: false, status: 400 });
    const { body } = await submit(20, ['perfect-ish', 'slow-41'], {
      samples: 2,
      case_filter: null,
      params: { seed: 7 },
    });
    await until(
      async () => {
        const { counts } = await run(body.eval_id);
        return counts.errored === 40 && counts.settled >= 45;
      },
      { what: 'all of one model and five items of the other' },
    );
    await client.post(`/api/jobs/${body.job_id}/cancel`);
    const stopped = await ended(body.eval_id);
    const scored = stopped.counts.settled - stopped.counts.errored;
    expect(stopped.counts.errored).toBe(40);
    await control('perfect-ish', { on: true });
    const lastOfOld = (await client.get(`/api/jobs/${body.job_id}`)).body;
    const asked = (await requests('perfect-ish')) + (await requests('slow-41'));

    const resumed = await client.post(`/api/tool-eval/history/${body.eval_id}/resume`);
    expect(resumed).toMatchObject({ status: 202, body: { eval_id: body.eval_id, status: 'submitted' } });
    expect(resumed.body.job_id).not.toBe(body.job_id);
    const done = await ended(body.eval_id);
    expect(done).toMatchObject({
      status: 'completed',
      job_id: resumed.body.job_id,
      counts: { total: 80, settled: 80, errored: 0, passed: 80 },
    });
    expect((await client.get(`/api/jobs/${resumed.body.job_id}`)).body.progress).toMatchObject({
      done: 80 - scored,
      total: 80 - scored,
      errored: 0,
    });
    expect((await requests('perfect-ish')) + (await requests('slow-41')) - asked).toBeLessThanOrEqual(
      80 - scored + WINDOW,
    );
    const { rows } = await sql.query(
      `SELECT count(*)::int AS n, count(DISTINCT (target, case_position, sample))::int AS items FROM result
        WHERE run_id = $1`,
      [body.eval_id],
    );
    expect(rows[0]).toEqual({ n: 80, items: 80 });

    // Both logs are complete: the earlier job's still contains the items that errored then.
    expect((await client.get(`/api/jobs/${body.job_id}`)).body).toEqual(lastOfOld);
    for (const [job, generation] of [
      [body.job_id, 1],
      [resumed.body.job_id, 2],
    ]) {
      const log = await sql.query(
        `SELECT count(DISTINCT seq)::int AS n, (SELECT last_seq FROM job WHERE id = $1) AS last FROM
           (SELECT seq FROM job_event WHERE job_id = $1 UNION ALL SELECT seq FROM result WHERE run_id = $2
             AND generation = $3) s`,
        [job, body.eval_id, generation],
      );
      expect(log.rows[0].n).toBe(log.rows[0].last);
      const warned = await sql.query(
        `SELECT data::json ->> 'code' AS code FROM job_event WHERE job_id = $1 AND name = 'eval_warning'`,
        [job],
      );
      expect(warned.rows).toEqual([{ code: 'unsupported:sim::slow-41:seed' }]);
    }
    expect(done.warnings).toEqual([expect.objectContaining({ code: 'unsupported:sim::slow-41:seed' })]);
    expect((await client.post(`/api/tool-eval/history/${body.eval_id}/resume`)).body).toMatchObject({
      status: 409,
      detail: expect.stringMatching(/nothing to resume/),
    });
  }, 60_000);

  it('keeps to the selected cases of the run', async () => {
    await control('perfect-ish', { on: false, status: 400 });
    const suite = weatherSuite(6) as any;
    suite.test_cases.forEach((one: any, index: number) => (one.tags = index % 2 ? ['odd'] : []));
    const {
      body: { suite_id },
    } = await client.post('/api/tool-eval/import', suite);
    const { body } = await client.post('/api/tool-eval', {
      suite_id,
      models: ['perfect-ish'],
      samples: 3,
      case_filter: { tags: ['odd'] },
    });
    await untilRunCompleted(client, body.eval_id);
    await control('perfect-ish', { on: true });
    expect((await client.post(`/api/tool-eval/history/${body.eval_id}/resume`)).status).toBe(202);
    expect(await ended(body.eval_id)).toMatchObject({ counts: { total: 9, settled: 9, errored: 0 } });
    const { rows } = await sql.query('SELECT DISTINCT case_position FROM result WHERE run_id = $1 ORDER BY 1', [
      body.eval_id,
    ]);
    expect(rows.map((row) => row.case_position)).toEqual([1, 3, 5]);
  }, 60_000);

  it('prepares a large run in batches after the response, and a killed worker loses and repeats nothing', async () => {
    const N = 12_000;
    const ERRORED = 24;
    const lanes = (await client.get('/api/lanes')).body.items as { id: string }[];
    for (const { id } of lanes) await client.post(`/api/lanes/${id}/pause`);
    const { body } = await submit(N / 100, ['slow-40'], { samples: 100 });
    await client.post(`/api/jobs/${body.job_id}/cancel`);
    await until(async () => (await run(body.eval_id)).finished_at, { what: 'the run to stop' });
    for (const { id } of lanes) await client.post(`/api/lanes/${id}/resume`);
    // The state after a complete run in which every 500th item errored.
    await sql.query(
      `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, overall,
        error_type, abstention, called, scoring_version, attempts, error_kind, error_message)
       SELECT $1, 0, i / 100, i % 100, 1, j.last_seq + 1 + i, CASE WHEN i % 500 = 7 THEN 'errored' ELSE 'scored'
         END, i % 500 <> 7, CASE WHEN i % 500 <> 7 THEN 1 END,
         CASE WHEN i % 500 = 7 THEN 'errored' ELSE 'none' END, false, '[]', 1, 1, CASE WHEN i % 500 = 7 THEN
           'network' END, CASE WHEN i % 500 = 7 THEN 'gone' END
       FROM job j, generate_series(0, $3 - 1) i WHERE j.id = $2`,
      [body.eval_id, body.job_id, N],
    );
    await sql.query('DELETE FROM job_event WHERE job_id = $1 AND seq > (SELECT last_seq FROM job WHERE id = $1)', [
      body.job_id,
    ]);
    await sql.query('UPDATE job SET last_seq = last_seq + $2, done = $2, errored = $3 WHERE id = $1', [
      body.job_id,
      N,
      ERRORED,
    ]);
    await sql.query(
      `UPDATE target SET cursor = n, settled = n, errored = $2, passed = n - $2, overall_sum = n - $2
        WHERE run_id = $1`,
      [body.eval_id, ERRORED],
    );

    // The worker that prepares the second half waits until it is killed.
    const gate = await sql.connect();
    await gate.query('SELECT pg_advisory_lock(4242)');
    await gate.query(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM
        pg_advisory_xact_lock_shared(4242); RETURN NEW; END $$;
      CREATE TRIGGER wait_for_test BEFORE INSERT ON redo FOR EACH ROW WHEN (NEW.item >= 6000) EXECUTE FUNCTION
        wait_for_test()`);
    const asked = await requests('slow-40');
    const resumed = await client.post(`/api/tool-eval/history/${body.eval_id}/resume`);
    expect(resumed.status).toBe(202);
    const job = async () => (await client.get(`/api/jobs/${resumed.body.job_id}`)).body;
    await until(async () => (await job()).detail === `preparing 5000 of ${N}`, { what: 'the first piece' });
    expect(await job()).toMatchObject({ status: 'queued', progress: { done: 0, total: ERRORED } });
    expect(await run(body.eval_id)).toMatchObject({
      status: 'queued',
      counts: { total: N, settled: N - ERRORED, errored: 0 },
    });
    const waiting = async () =>
      (await gate.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 4242`))
        .rowCount;
    await until(waiting, { what: 'a piece in the middle' });
    const small = await submit(2, ['perfect-ish']);
    expect(await ended(small.body.eval_id)).toMatchObject({ status: 'completed' });
    await until(waiting, { what: 'a piece in the middle' });
    for (const worker of system.workers.splice(0)) await worker.kill('SIGKILL');
    for (let n = 0; n < 2; n++) await system.startWorker();
    await gate.query('SELECT pg_advisory_unlock(4242)');
    gate.release();

    expect(await ended(body.eval_id)).toMatchObject({
      status: 'completed',
      counts: { total: N, settled: N, errored: 0, passed: N },
    });
    expect(await job()).toMatchObject({
      status: 'completed',
      detail: null,
      progress: { done: ERRORED, total: ERRORED, errored: 0 },
    });
    expect((await requests('slow-40')) - asked).toBe(ERRORED);
    const { rows } = await sql.query(
      `SELECT count(*)::int AS n, count(DISTINCT (target, case_position, sample))::int AS items, (count(*) FILTER
        (WHERE generation = 2))::int AS again FROM result WHERE run_id = $1`,
      [body.eval_id],
    );
    expect(rows[0]).toEqual({ n: N, items: N, again: ERRORED });
    for (const [id, generation] of [
      [body.job_id, 1],
      [resumed.body.job_id, 2],
    ]) {
      const log = await sql.query(
        `SELECT count(*)::int AS n, count(DISTINCT seq)::int AS numbers, (SELECT last_seq FROM job
          WHERE id = $1) AS last FROM
           (SELECT seq FROM job_event WHERE job_id = $1 UNION ALL SELECT seq FROM result WHERE run_id = $2
             AND generation = $3) s`,
        [id, body.eval_id, generation],
      );
      const { last } = log.rows[0];
      expect(log.rows[0]).toEqual({ n: last, numbers: last, last });
    }
  }, 120_000);

  it('waits until a run has ended', async () => {
    const { body } = await submit(100, ['slow-41']);
    expect((await client.post(`/api/tool-eval/history/${body.eval_id}/resume`)).status).toBe(409);
    await client.post(`/api/jobs/${body.job_id}/cancel`);
  });
});
