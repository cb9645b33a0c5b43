// Needs its own API: the tests drop a table, and triggers watch every write to its database.
import { beginDeviceLogin } from '#lib/db/catalogue/device-logins';
import { claimKey, forgetKeys, storeResponse, type ClaimedKey } from '#lib/db/catalogue/idempotency';
import { sha256 } from '#lib/runtime/seal';
import { settleRun } from '#lib/db/testing/settled-run';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { startMcpServer } from '../../../test/http-server.js';
import { cookieOfToken } from '../../../test/people.js';
import { someoneWaits } from '../../../test/lock-wait.js';
import { ADMIN_TOKEN } from '../../../test/processes.js';
import { until } from '../../../test/until.js';

let api: ApiInProcess;
let client: Client;

beforeAll(async () => {
  api = await startApi();
  client = api.client;
  await addUnreachableModels(client);
}, 60_000);
afterAll(() => api.close());

const importSuite = (file?: object): Promise<string> => client.importSuite(file);

describe('an Idempotency-Key', () => {
  it('repeats the answer, refuses another body, and hides a secret', async () => {
    const suite = await importSuite();
    const body = { suite_id: suite, models: ['sim::a'] };
    const answers = await Promise.all(
      [1, 2, 3].map(() => client.post('/api/tool-eval', body, { 'idempotency-key': 'k1' })),
    );
    expect(new Set(answers.map((answer) => answer.body.eval_id)).size).toBe(1);
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
    expect((await client.post('/api/tool-eval', { ...body, samples: 2 }, { 'idempotency-key': 'k1' })).status).toBe(
      409,
    );
    const token = () => client.post('/api/tokens', { name: 't', role: 'viewer' }, { 'idempotency-key': 'k2' });
    const [first, second] = [await token(), await token()];
    expect(first.body.token).toMatch(/^tm_/);
    expect(second.body).toEqual({ ...first.body, token: undefined });
  });

  it('is stored together with the change or not at all: a late failure has no effect', async () => {
    const body = { suite_id: await importSuite(), models: ['sim::a'] };
    const submit = () => client.post('/api/tool-eval', body, { 'idempotency-key': 'with-the-run' });
    const runs = async () => (await api.pool.query('SELECT id FROM run WHERE suite_id = $1', [body.suite_id])).rows;
    await api.pool.query('ALTER TABLE audit RENAME TO audit_away');
    expect((await submit()).status).toBe(500);
    await api.pool.query('ALTER TABLE audit_away RENAME TO audit');
    expect(await runs()).toEqual([]);
    const again = await submit();
    expect(again.status).toBe(202);
    expect(await runs()).toEqual([{ id: again.body.eval_id }]);
  });

  const owner = async () => {
    const me = (await client.get('/api/me')).body;
    return { teamId: me.team.id, userId: me.user.id };
  };
  const suite = { name: 'Once', tools: weatherSuite(0).tools };
  const fingerprint = sha256(`POST /api/tool-suites\n${JSON.stringify(suite)}`);
  const take = async (key: Parameters<typeof claimKey>[1]): Promise<ClaimedKey> => {
    const taken = await claimKey(api.pool, key, fingerprint);
    if (taken.state !== 'claimed') throw new Error(`The key is ${taken.state}`);
    return taken.claim;
  };

  it('of a request whose process died is free again after a minute, not sooner', async () => {
    const key = { ...(await owner()), key: 'died' };
    await take(key);
    expect(await claimKey(api.pool, key, fingerprint)).toEqual({ state: 'under-way' });
    await api.pool.query(`UPDATE idempotency_key SET created_at = now() - interval '61 s' WHERE key = 'died'`);
    expect((await client.post('/api/tool-suites', suite, { 'idempotency-key': 'died' })).status).toBe(201);
  });

  it('of a running request makes the second one wait for its answer', async () => {
    const key = { ...(await owner()), key: 'slow' };
    const held = await take(key);
    const second = client.post('/api/tool-suites', suite, { 'idempotency-key': 'slow' });
    await storeResponse(api.pool, held, 201, '{"id":"of the first"}');
    expect(await second).toMatchObject({ status: 201, body: { id: 'of the first' } });
  });

  it('keeps its first answer, whatever follows', async () => {
    const held = await take({ ...(await owner()), key: 'twice' });
    await storeResponse(api.pool, held, 201, '{"id":"first"}');
    await expect(storeResponse(api.pool, held, 409, '{}')).rejects.toMatchObject({ status: 409 });
    expect(await claimKey(api.pool, held, fingerprint)).toEqual({
      state: 'answered',
      status: 201,
      response: '{"id":"first"}',
    });
  });

  it('that a repeat took over belongs to the repeat: its first request, if still alive, changes nothing', async () => {
    const { pool } = api;
    const late = { ...suite, name: 'Late' };
    const create = () => client.post('/api/tool-suites', late, { 'idempotency-key': 'late' });
    const gate = await pool.connect();
    const waiting = async (count: number) =>
      (
        await gate.query(
          `SELECT DISTINCT pid FROM pg_locks
           WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
      ).rowCount === count;
    await gate.query(
      'BEGIN; LOCK TABLE audit IN ACCESS EXCLUSIVE MODE; SET LOCAL idle_in_transaction_session_timeout = 0',
    );
    const first = create();
    await until(() => waiting(1), { what: 'the first request to be in the middle' });
    await pool.query(`UPDATE idempotency_key SET created_at = now() - interval '61 s' WHERE key = 'late'`);
    const second = create();
    await until(() => waiting(2), { what: 'the second request to be in the middle' });
    await gate.query('COMMIT');
    gate.release();
    const [refused, made] = [await first, await second];
    expect([refused.status, made.status]).toEqual([409, 201]);
    expect(refused.body.detail).toMatch(/this request changed nothing/);
    expect((await create()).body).toEqual(made.body);
    expect(
      (
        await pool.query(
          `SELECT s.id, (SELECT count(*)::int FROM audit WHERE subject = s.id::text) AS notes FROM suite s
            WHERE name = 'Late'`,
        )
      ).rows,
    ).toEqual([{ id: made.body.id, notes: 1 }]);
  });

  it('repeats a large answer as a problem that says that the request was done; keys of a day are bounded', async () => {
    const suiteId = await importSuite();
    const cases = Array.from({ length: 5 }, (_, n) => ({
      prompt: `${n}${'x'.repeat(15_000)}`,
      expected_tool: 'get_weather',
    }));
    const add = (key: string) => client.post(`/api/tool-suites/${suiteId}/cases`, cases, { 'idempotency-key': key });
    expect((await add('large')).status).toBe(201);
    expect(await add('large')).toMatchObject({
      status: 409,
      body: { code: 'answer_not_kept', params: { status: 201 }, detail: expect.stringMatching(/is not done again/) },
    });
    expect((await client.get(`/api/tool-suites/${suiteId}`)).body.test_cases_count).toBe(7);
    // Of a team whose keys nobody has counted yet.
    const { body: team } = await client.post('/api/teams', { name: 'with many keys' });
    const busy = clientOf(api.url, team.token.token);
    const { id: userId } = (await busy.get('/api/me')).body.user;
    await api.pool.query(
      `INSERT INTO idempotency_key (team_id, user_id, key, request, status, response)
       SELECT $1, $2, n::text, $3, 201, '{"id":"kept"}' FROM generate_series(1, 5000) n`,
      [team.id, userId, fingerprint],
    );
    const create = (key: string) => busy.post('/api/tool-suites', suite, { 'idempotency-key': key });
    const refused = await create('new');
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'too_many_keys', params: { limit: 5000 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await create('5000')).body).toEqual({ id: 'kept' });
    await api.pool.query(`UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE user_id = $1`, [
      userId,
    ]);
    while (await forgetKeys(api.pool));
    await until(async () => (await create(`again ${Math.random()}`)).status === 201);
  });

  it('repeats a refusal as the same problem document', async () => {
    const [first, second] = [
      await client.post('/api/tool-suites', { name: 'x' }, { 'idempotency-key': 'bad' }),
      await client.post('/api/tool-suites', { name: 'x' }, { 'idempotency-key': 'bad' }),
    ];
    expect(second).toMatchObject({ status: 400, body: first.body });
    expect(second.headers.get('content-type')).toMatch(/problem/);
  });

  it('belongs to its user', async () => {
    const other = clientOf(
      api.url,
      (await client.post('/api/tokens', { name: 'o', role: 'editor', user: 'other' })).body.token,
    );
    const ids = await Promise.all(
      [client, other].map(
        async (by) => (await by.post('/api/tool-suites', suite, { 'idempotency-key': 'shared' })).body.id,
      ),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('is refused when it is empty or longer than 200 characters', async () => {
    for (const key of ['', 'x'.repeat(201)])
      expect((await client.post('/api/tool-suites', suite, { 'idempotency-key': key })).status).toBe(400);
  });
});

it('a change that conflicts with others is refused with 503, and can be repeated', async () => {
  const body = { suite_id: await importSuite(), models: ['sim::a'] };
  const { job_id: jobId, eval_id: runId } = (await client.post('/api/tool-eval', body)).body;
  const other = await api.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM job WHERE id = $1 FOR UPDATE', [jobId]);
    const cancelled = client.post(`/api/jobs/${jobId}/cancel`);
    await someoneWaits(api.pool);
    // No transaction of this product locks a target after a job. Postgres ends the one that checks for a deadlock
    // first: the cancel.
    await other.query(`SET deadlock_timeout = '1 min'`);
    await other.query('SELECT 1 FROM target WHERE run_id = $1 FOR UPDATE', [runId]);
    await other.query('ROLLBACK');
    expect(await cancelled).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('the same things') },
    });
    const again = await client.post(`/api/jobs/${jobId}/cancel`);
    expect(again).toMatchObject({ status: 202, body: { status: 'cancelled' } });
  } finally {
    other.release(true);
  }
});

describe('every route of the OpenAPI document that changes data', () => {
  it('takes effect once and repeats its answer, and no effect is visible before the answer', async () => {
    const { pool } = api;
    const url = await startMcpServer(() => [{ name: 'note', inputSchema: { type: 'object' } }]);
    const [suiteId, spare] = [await importSuite(), await importSuite()];
    const {
      body: {
        test_cases: [first, second],
      },
    } = await client.get(`/api/tool-suites/${suiteId}`);
    const submit = async () => (await client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'] })).body;
    const [one, other, third] = [await submit(), await submit(), await submit()];
    const finished = await submit();
    await client.post(`/api/jobs/${finished.job_id}/cancel`);
    const [gone, stopped] = [await submit(), await submit()];
    await client.post(`/api/jobs/${gone.job_id}/cancel`);
    await client.post(`/api/jobs/${stopped.job_id}/cancel`);
    await client.post(`/api/jobs/${third.job_id}/cancel`);
    const baseline = await submit();
    await settleRun(pool, baseline.eval_id, [0, 0]);
    await pool.query('UPDATE target SET summary = NULL, finished_at = NULL WHERE run_id = $1', [baseline.eval_id]);
    for (const [table, id] of [
      ['job', baseline.job_id],
      ['run', baseline.eval_id],
    ])
      await pool.query(`UPDATE ${table} SET status = 'completed', finished_at = now() WHERE id = $1`, [id]);
    await pool.query('UPDATE run SET score = 1 WHERE id = $1', [baseline.eval_id]);
    const experiment = (await client.post('/api/experiments', { name: 'e', suite_id: suiteId })).body;
    await pool.query('UPDATE experiment SET best_run_id = $1', [baseline.eval_id]);
    const pinned = { eval_id: baseline.eval_id };
    const makeGate = async (name: string) =>
      (await client.post('/api/gates', { name, suite_id: suiteId, baseline: pinned })).body;
    const [gate, unusedGate] = [await makeGate('g'), await makeGate('unused')];
    const tune = { suite_id: suiteId, models: ['sim::a'], search_space: { top_p: [0.5, 1] }, mode: 'grid', holdout: 0 };
    const route = '/api/tool-eval/param-tune';
    const unusedTune = (await client.post(route, tune)).body;
    await client.post(`/api/jobs/${unusedTune.job_id}/cancel`);
    const prompts = { suite_id: suiteId, models: ['sim::a'], meta_model: 'sim::a', mode: 'quick', holdout: 0 };
    const unusedPrompts = (await client.post('/api/tool-eval/prompt-tune', prompts)).body;
    await client.post(`/api/jobs/${unusedPrompts.job_id}/cancel`);
    const judged = { eval_id: baseline.eval_id, judge: 'sim::a', allow_self: true };
    const [report, unusedReport] = [await client.post('/api/judge', judged), await client.post('/api/judge', judged)];
    await client.post(`/api/jobs/${unusedReport.body.job_id}/cancel`);
    const preset = { name: 'p', search_space: tune.search_space };
    const unusedPreset = (await client.post('/api/param-presets', preset)).body;
    const prompt = { suite_id: suiteId, components: { system_prompt: 'Be brief.' } };
    const unusedPrompt = (await client.post('/api/prompt-versions', prompt)).body;
    const token = (await client.post('/api/tokens', { name: 't', role: 'viewer' })).body;
    const [own, capped] = [
      (await client.post('/api/me/tokens', { name: 'own', role: 'viewer' })).body,
      (await client.post('/api/tokens', { name: 'capped', role: 'viewer' })).body,
    ];
    const account = (await client.post('/api/users', { name: 'changed', role: 'viewer' })).body;
    const leaver = (await client.post('/api/users', { name: 'leaver', role: 'viewer' })).body;
    const invitation = (await client.post('/api/invitations', { role: 'viewer' })).body;
    for (let n = 0; n < 2; n++) await cookieOfToken(api.url, ADMIN_TOKEN);
    const sessions = (await client.get('/api/me/sessions')).body.items;
    await client.post('/api/providers', { key: 'unused', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
    const { userCode } = await beginDeviceLogin(pool, 'host', '127.0.0.1');
    const lane = (await client.get('/api/lanes')).body.items[0].id;
    const me = (await client.get('/api/me')).body;
    const case_ = { prompt: 'p', expected_tool: 'get_weather' };
    const { test_cases: _cases, ...suite } = weatherSuite(0);
    /** Sent in this order. Requests without effects, and without an entry in the audit, say why. */
    const requests: [operation: string, path: string, body: unknown, changesNothing?: string][] = [
      ['POST /api/tokens', '', { name: 'new', role: 'viewer', user: 'someone' }],
      ['DELETE /api/tokens/{id}', `/api/tokens/${token.id}`, undefined],
      ['PATCH /api/tokens/{id}', `/api/tokens/${capped.id}`, { monthly_cap_usd: 5 }],
      ['POST /api/me/tokens', '', { name: 'new', role: 'viewer' }],
      ['DELETE /api/me/tokens/{id}', `/api/me/tokens/${own.id}`, undefined],
      ['DELETE /api/me/sessions/{id}', `/api/me/sessions/${sessions[0].id}`, undefined],
      ['DELETE /api/sessions/{id}', `/api/sessions/${sessions[1].id}`, undefined],
      ['POST /api/users', '', { name: 'new', role: 'viewer' }],
      ['PATCH /api/users/{id}', `/api/users/${account.id}`, { role: 'editor' }],
      ['DELETE /api/users/{id}', `/api/users/${leaver.id}`, undefined],
      ['POST /api/invitations', '', { role: 'viewer' }],
      ['DELETE /api/invitations/{id}', `/api/invitations/${invitation.id}`, undefined],
      ['POST /api/teams', '', { name: 'a team' }],
      ['POST /api/me/device-logins/{userCode}', `/api/me/device-logins/${userCode}`, { approve: true }],
      [
        'POST /api/providers',
        '',
        {
          key: 'new',
          base_url: 'http://127.0.0.1:9/v1',
          models: [{ id: 'a' }],
          headers: [{ name: 'X-Team', value: 'a' }],
        },
      ],
      ['PATCH /api/providers/{key}', '/api/providers/new', { name: 'newer', headers: [{ name: 'X-Team' }] }],
      ['DELETE /api/providers/{key}/learned', '/api/providers/new/learned', undefined],
      ['DELETE /api/providers/{key}', '/api/providers/unused', undefined],
      ['POST /api/providers/{key}/test', '/api/providers/sim/test', undefined, 'only asks the provider'],
      ['POST /api/tool-suites', '', suite],
      ['PUT /api/tool-suites/{id}', `/api/tool-suites/${suiteId}`, suite],
      ['PATCH /api/tool-suites/{id}', `/api/tool-suites/${suiteId}`, { name: 'Patched' }],
      ['DELETE /api/tool-suites/{id}', `/api/tool-suites/${spare}`, undefined],
      ['POST /api/tool-suites/{id}/versions/{version}/restore', `/api/tool-suites/${suiteId}/versions/1/restore`, {}],
      ['POST /api/tool-suites/{id}/cases', `/api/tool-suites/${suiteId}/cases`, case_],
      ['PUT /api/tool-suites/{id}/cases/{caseId}', `/api/tool-suites/${suiteId}/cases/${first.id}`, case_],
      ['DELETE /api/tool-suites/{id}/cases/{caseId}', `/api/tool-suites/${suiteId}/cases/${second.id}`, undefined],
      ['POST /api/tool-eval/import', '', weatherSuite(1)],
      ['POST /api/mcp/discover', '', { url }, 'only asks the server'],
      ['POST /api/mcp/import', '', { url, generate_cases: true }],
      [
        'POST /api/tool-suites/{id}/mcp-sync',
        `/api/tool-suites/${suiteId}/mcp-sync?apply=true&keep_removed=true`,
        { url },
      ],
      ['POST /api/tool-eval', '', { suite_id: suiteId, models: ['sim::a'] }],
      [
        'POST /api/tool-eval/recorded',
        '',
        { suite_id: suiteId, target_name: 'agent', replies: [{ case: first.id, reply: 'x' }] },
      ],
      ['POST /api/tool-eval/estimate', '', { suite_id: suiteId, models: ['sim::a'] }, 'only calculates'],
      ['POST /api/tool-eval/cancel', '', { job_id: one.job_id }],
      ['POST /api/jobs/{id}/cancel', `/api/jobs/${other.job_id}/cancel`, undefined],
      ['POST /api/tool-eval/history/{id}/rescore', `/api/tool-eval/history/${third.eval_id}/rescore`, {}],
      ['POST /api/tool-eval/history/{id}/resume', `/api/tool-eval/history/${finished.eval_id}/resume`, {}],
      ['DELETE /api/tool-eval/history/{id}', `/api/tool-eval/history/${gone.eval_id}`, undefined],
      ['PATCH /api/tool-eval/history/{id}', `/api/tool-eval/history/${third.eval_id}`, { name: 'named' }],
      ['POST /api/experiments', '', { name: 'x', suite_id: suiteId, baseline_eval_id: baseline.eval_id }],
      ['PUT /api/experiments/{id}', `/api/experiments/${experiment.id}`, { name: 'y' }],
      ['PUT /api/experiments/{id}/baseline', `/api/experiments/${experiment.id}/baseline`, pinned],
      ['POST /api/experiments/{id}/run-best', `/api/experiments/${experiment.id}/run-best`, undefined],
      ['DELETE /api/experiments/{id}', `/api/experiments/${experiment.id}`, undefined],
      ['POST /api/gates', '', { name: 'new', suite_id: suiteId, baseline: pinned }],
      ['PUT /api/gates/{id}', `/api/gates/${gate.id}`, { margin: 0 }],
      ['POST /api/gates/{id}/run', `/api/gates/${gate.id}/run`, undefined],
      ['POST /api/gates/sensitivity', '', { suite_id: suiteId, baseline: pinned }, 'only calculates'],
      ['POST /api/gates/{id}/run/estimate', `/api/gates/${gate.id}/run/estimate`, {}, 'only calculates'],
      ['DELETE /api/gates/{id}', `/api/gates/${unusedGate.id}`, undefined],
      ['POST /api/tool-eval/param-tune', '', tune],
      ['POST /api/tool-eval/param-tune/estimate', '', tune, 'only calculates'],
      ['PATCH /api/tool-eval/param-tune/history/{id}', `${route}/history/${unusedTune.tune_id}`, { name: 'named' }],
      ['DELETE /api/tool-eval/param-tune/history/{id}', `${route}/history/${unusedTune.tune_id}`, undefined],
      ['POST /api/tool-eval/prompt-tune', '', prompts],
      ['POST /api/tool-eval/prompt-tune/estimate', '', prompts, 'only calculates'],
      [
        'PATCH /api/tool-eval/prompt-tune/history/{id}',
        `/api/tool-eval/prompt-tune/history/${unusedPrompts.tune_id}`,
        { name: 'named' },
      ],
      [
        'DELETE /api/tool-eval/prompt-tune/history/{id}',
        `/api/tool-eval/prompt-tune/history/${unusedPrompts.tune_id}`,
        undefined,
      ],
      ['POST /api/judge', '', judged],
      ['POST /api/judge/estimate', '', judged, 'only calculates'],
      ['POST /api/judge/reports/{id}/rerun', `/api/judge/reports/${report.body.report_id}/rerun`, undefined],
      ['DELETE /api/judge/reports/{id}', `/api/judge/reports/${unusedReport.body.report_id}`, undefined],
      [
        'PUT /api/tool-eval/history/{id}/results/{resultId}/label',
        `/api/tool-eval/history/${baseline.eval_id}/results/0-0-0/label`,
        { label: 'wrong' },
      ],
      [
        'PUT /api/tool-eval/history/{id}/results/{resultId}/note',
        `/api/tool-eval/history/${baseline.eval_id}/results/0-0-0/note`,
        { text: 'Ask again.' },
      ],
      [
        'DELETE /api/tool-eval/history/{id}/results/{resultId}/note',
        `/api/tool-eval/history/${baseline.eval_id}/results/0-0-0/note`,
        undefined,
      ],
      [
        'POST /api/tool-eval/history/{id}/labels',
        `/api/tool-eval/history/${baseline.eval_id}/labels`,
        { labels: [{ result_id: '0-1-0', label: 'correct' }] },
      ],
      [
        'DELETE /api/tool-eval/history/{id}/results/{resultId}/label',
        `/api/tool-eval/history/${baseline.eval_id}/results/0-0-0/label`,
        undefined,
      ],
      ['PUT /api/settings/judge', '', { judge: 'sim::a' }],
      ['PUT /api/me/views/{list}', '/api/me/views/runs', { filters: { status: 'failed' } }],
      ['PATCH /api/me/marks/{kind}/{id}', `/api/me/marks/suite/${suiteId}`, { tags: ['release'] }],
      ['POST /api/param-presets', '', { ...preset, name: 'new' }],
      ['DELETE /api/param-presets/{id}', `/api/param-presets/${unusedPreset.id}`, undefined],
      ['POST /api/prompt-versions', '', prompt],
      ['PATCH /api/prompt-versions/{id}', `/api/prompt-versions/${unusedPrompt.id}`, { label: 'Brief' }],
      ['DELETE /api/prompt-versions/{id}', `/api/prompt-versions/${unusedPrompt.id}`, undefined],
      ['POST /api/jobs/{id}/resume', `/api/jobs/${stopped.job_id}/resume`, undefined],
      [
        'POST /api/tool-eval/history/{id}/samples',
        `/api/tool-eval/history/${baseline.eval_id}/samples`,
        { samples: 1 },
      ],
      ['PUT /api/settings/embedding', '', { provider_key: 'sim', model_id: 'a' }],
      ['PUT /api/settings/cache', '', { lifetime_days: 7 }],
      ['DELETE /api/settings/cache', '', undefined],
      ['PUT /api/settings/jobs', '', { running_jobs_per_user: 4 }],
      ['PUT /api/settings/quotas', '', { quotas: { suites: 900, lanes: null } }],
      ['PUT /api/settings/spending', '', { monthly_cap_usd: 1000 }],
      ['POST /api/lanes/{id}/pause', `/api/lanes/${lane}/pause`, undefined],
      ['POST /api/lanes/{id}/resume', `/api/lanes/${lane}/resume`, undefined],
    ];
    const { paths } = (await client.get('/openapi.json')).body as {
      paths: Record<string, Record<string, { security?: object[] }>>;
    };
    const changing = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // Whoever has no token has no key either.
        .filter(([method, { security }]) => method !== 'get' && security?.length !== 0)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    // A cookie cannot be issued again: a client that lost the answer signs in or out once more. Whoever comes in has no
    // keys yet, and a session joins a team (invitations.int.spec.ts). A try-out ends with the connection that waits
    // (its entry: live.int.spec.ts).
    const repeated = [
      ...[' /api/session', ' /api/tool-eval/try', ' /api/me/memberships'],
      ...[' /api/invitations/read', ' /api/invitations/accept'],
    ];
    const changingData = changing.filter((operation) => !repeated.some((path) => operation.endsWith(path)));
    expect(requests.map(([operation]) => operation).sort()).toEqual(changingData.sort());

    // Checks every write: on commit, the same transaction must have stored an answer. Replies may be written first,
    // because they are not visible before their run.
    await pool.query(`
      CREATE TABLE effects (n int);
      INSERT INTO effects VALUES (0);
      CREATE FUNCTION answered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NOT EXISTS (SELECT 1 FROM idempotency_key WHERE status IS NOT NULL
          AND xmin = pg_current_xact_id()::xid) THEN RAISE 'an effect on % without its answer', TG_TABLE_NAME; END IF;
        UPDATE effects SET n = n + 1;
        RETURN NULL;
      END $$;
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
          AND relkind IN ('r', 'p') AND NOT relispartition
          AND relname NOT IN ('idempotency_key', 'effects', 'recording', 'exchange', '_prisma_migrations') LOOP
          EXECUTE
            format('CREATE CONSTRAINT TRIGGER answered AFTER INSERT OR UPDATE OR DELETE ON %I DEFERRABLE '
              'INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION answered()', name);
        END LOOP;
      END $$`);
    const effects = async (): Promise<number> => (await pool.query('SELECT n FROM effects')).rows[0].n;
    for (const [operation, path, body, changesNothing] of requests) {
      const [method, route] = operation.split(' ') as [string, string];
      const send = () => client.send(method, path || route, body, { 'idempotency-key': operation });
      const before = await effects();
      const answer = await send();
      const done = await effects();
      expect([operation, answer.status, done > before]).toEqual([
        operation,
        changesNothing ? expect.any(Number) : answer.status < 300 ? answer.status : 'done',
        !changesNothing,
      ]);
      const again = await send();
      const { token: secret, url: link, ...shown } = answer.body;
      expect([operation, again.status, again.body]).toEqual([
        operation,
        answer.status,
        typeof secret === 'string' || link?.includes('#invitation=')
          ? shown
          : secret
            ? { ...shown, token: { ...secret, token: undefined } }
            : answer.body,
      ]);
      expect([operation, await effects()]).toEqual([operation, done]);
      const ids = [answer, again].map(({ headers }) => headers.get('x-request-id'));
      const { rows: audited } = await pool.query(
        `SELECT action, user_id, token_id, address, request_id FROM audit WHERE request_id = ANY ($1)`,
        [ids],
      );
      const by = { user_id: me.user.id, token_id: me.token.id, address: '127.0.0.1', request_id: ids[0] };
      expect([operation, audited]).toEqual([operation, audited.map(({ action }) => ({ action, ...by }))]);
      expect([operation, audited.length > 0]).toEqual([operation, !changesNothing]);
    }
    const { rows } = await pool.query(`SELECT action, changes FROM audit WHERE request_id IS NOT NULL`);
    const withoutChanges = rows.filter(({ changes }) => changes === null).map(({ action }) => action);
    expect([...new Set(withoutChanges)].sort()).toEqual([]);
    const text = JSON.stringify(rows);
    for (const secret of [ADMIN_TOKEN, 'sk-secret', 'tm_', 'Be brief.', 'Ask again.', 'weather in Paris'])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
  });
});
