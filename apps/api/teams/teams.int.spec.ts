import { request } from 'node:http';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { cookieOfToken } from '../../../test/people.js';
import { ADMIN_TOKEN } from '../../../test/processes.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
let client: Client;
/** Its token expires while other tests run. */
let expiring: Client;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  const expires_at = new Date(Date.now() + 6000).toISOString();
  expiring = clientOf(
    api.url,
    (await client.post('/api/tokens', { name: 'expiring', role: 'viewer', expires_at })).body.token,
  );
  expect((await expiring.get('/api/me')).status).toBe(200);
  await addUnreachableModels(client);
}, 60_000);

const importSuite = (file?: object): Promise<string> => client.importSuite(file);
const submit = (suiteId: string, more: object = {}) =>
  client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });

describe('roles', () => {
  it('let viewers read, editors change, and owners hold the keys', async () => {
    const as = async (role: string) =>
      clientOf(api.url, (await client.post('/api/tokens', { name: role, role, user: 'grace' })).body.token);
    const [viewer, editor] = [await as('viewer'), await as('editor')];
    expect((await viewer.get('/api/tool-suites')).status).toBe(200);
    expect((await viewer.post('/api/tool-eval/import', weatherSuite(1))).status).toBe(403);
    expect((await editor.post('/api/tool-eval/import', weatherSuite(1))).status).toBe(201);
    expect((await editor.post('/api/tokens', { name: 'x', role: 'owner' })).status).toBe(403);
    expect((await editor.delete('/api/providers/sim')).status).toBe(403);
  });

  it('let viewers trigger no request with the keys of the team', async () => {
    const as = async (role: string) =>
      clientOf(api.url, (await client.post('/api/tokens', { name: role, role, user: 'grace' })).body.token);
    const [viewer, editor] = [await as('viewer'), await as('editor')];
    const suiteId = (await client.post('/api/tool-eval/import', weatherSuite(1))).body.suite_id;
    const url = 'http://127.0.0.1:9/mcp';
    const calls: [string, string, object?][] = [
      ['GET', '/api/providers/sim/discover'],
      ['POST', '/api/providers/sim/test'],
      ['POST', '/api/mcp/discover', { url }],
      ['POST', '/api/mcp/import', { url }],
      ['POST', `/api/tool-suites/${suiteId}/mcp-sync`, { url }],
    ];
    for (const [method, path, body] of calls) {
      expect([path, (await viewer.send(method, path, body)).status]).toEqual([path, 403]);
      expect([path, (await editor.send(method, path, body)).status]).toEqual([
        path,
        path.endsWith('/test') ? 200 : 422,
      ]);
    }
    expect((await clientOf(api.url, 'nobody').get('/api/me')).status).toBe(401);
  });
});

describe('every route of the OpenAPI document', () => {
  interface Operation {
    method: string;
    path: string;
    takesBody: boolean;
  }
  let operations: Operation[];
  beforeAll(async () => {
    const { paths } = (await client.get('/openapi.json')).body as {
      paths: Record<string, Record<string, { requestBody?: object; security?: [] }>>;
    };
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody, security }]) => ({
        method: method.toUpperCase(),
        path,
        takesBody: requestBody !== undefined,
        isOpen: security?.length === 0,
      })),
    );
    // How people come in: sessions.int.spec.ts, invitations.int.spec.ts.
    const isWayIn = /^\/api\/(session|sign-in|device-logins|invitations\/(read|accept))(\/|$)/;
    expect(all.filter(({ isOpen, path }) => isOpen && !isWayIn.test(path))).toEqual([]);
    operations = all.filter(({ isOpen, path }) => !isOpen && path !== '/api/session');
    expect(operations.length).toBeGreaterThan(45);
  });
  const filled = (path: string, id = '01a1fc11-0570-72f9-b84b-b15294fa812e'): string => path.replaceAll(/\{\w+\}/g, id);

  /** The status of a response that arrives before any of the announced body was sent. */
  const answered = (
    path: string,
    token?: string,
    { method = 'POST', bytes = 1000 } = {},
  ): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': bytes,
        ...(token && { authorization: `Bearer ${token}` }),
      };
      const asked = request(api.url + path, { method, headers }, (response) => {
        resolve(response.statusCode);
        asked.destroy();
      });
      asked.on('error', reject).flushHeaders();
    });

  it('requires a token', async () => {
    const nobody = clientOf(api.url, 'nobody');
    for (const { method, path } of operations)
      expect([path, (await nobody.send(method, filled(path))).status]).toEqual([path, 401]);
  });

  it('requires a token before it reads the body', async () => {
    const nobody = clientOf(api.url, 'nobody');
    const bodies: [string, string][] = [
      ['{"name": ', 'application/json'],
      ['['.repeat(20_000), 'application/json'],
      [' '.repeat(12 * 2 ** 20), 'application/json'],
      ['name=x', 'application/x-www-form-urlencoded'],
    ];
    for (const [body, type] of bodies) {
      for (const path of ['/api/tool-suites', '/api/tool-eval/import', '/api/tool-eval']) {
        expect([path, body.slice(0, 9), (await nobody.post(path, body, { 'content-type': type })).status]).toEqual([
          path,
          body.slice(0, 9),
          401,
        ]);
      }
    }
  });

  it('answers a missing token or an unknown route before the body arrives', async () => {
    expect(await answered('/api/tool-suites')).toBe(401);
    expect(await answered('/api/nothing')).toBe(404);
  });

  /** What a viewer keeps for themselves changes nothing for the team. */
  const isForEditors = ({ method, path }: { method: string; path: string }): boolean =>
    method !== 'GET' && !path.startsWith('/api/me/');

  it('changes nothing for a viewer', async () => {
    const viewer = clientOf(api.url, (await client.post('/api/tokens', { name: 'viewer', role: 'viewer' })).body.token);
    for (const { method, path } of operations.filter(isForEditors)) {
      expect([method, path, (await viewer.send(method, filled(path), {})).status]).toEqual([method, path, 403]);
    }
  });

  it("refuses a viewer's change before it reads the body", async () => {
    const viewer = clientOf(api.url, (await client.post('/api/tokens', { name: 'viewer', role: 'viewer' })).body.token);
    const bodies: [string, string][] = [
      ['['.repeat(20_000), 'application/json'],
      ['name=x', 'application/x-www-form-urlencoded'],
    ];
    const large = '1e0,'.repeat(2.6 * 2 ** 20);
    expect((await viewer.post('/api/tool-suites', large, { 'content-type': 'application/json' })).status).toBe(403);
    for (const { method, path } of operations.filter(isForEditors)) {
      const announced = { method, bytes: large.length };
      expect([method, path, await answered(filled(path), viewer.token, announced)]).toEqual([method, path, 403]);
      for (const [body, type] of bodies) {
        const { status } = await viewer.send(method, filled(path), body, { 'content-type': type });
        expect([method, path, body.slice(0, 9), status]).toEqual([method, path, body.slice(0, 9), 403]);
      }
    }
  });

  it('answers a forbidden change before the body arrives', async () => {
    const { token } = (await client.post('/api/tokens', { name: 'viewer', role: 'viewer' })).body;
    const editor = (await client.post('/api/tokens', { name: 'editor', role: 'editor' })).body.token as string;
    expect(await answered('/api/tool-suites', token)).toBe(403);
    expect(await answered('/api/tokens', editor)).toBe(403);
  });

  it('hides the data of a team from other teams: its ids are unknown there, and in no list', async () => {
    const suiteId = await importSuite();
    const run = (await submit(suiteId)).body;
    const caseId = (await client.get(`/api/tool-suites/${suiteId}`)).body.test_cases[0].id;
    const experiment = (await client.post('/api/experiments', { name: 'e', suite_id: suiteId })).body;
    const baseline = (await submit(suiteId)).body.eval_id;
    await api.pool.query(`UPDATE run SET status = 'completed', score = 1 WHERE id = $1`, [baseline]);
    const rules = { name: 'mine only', suite_id: suiteId, baseline: { eval_id: baseline } };
    const gate = (await client.post('/api/gates', rules)).body;
    const gateRun = (await client.post(`/api/gates/${gate.id}/run`)).body;
    const token = (await client.post('/api/tokens', { name: 'mine', role: 'viewer' })).body;
    await cookieOfToken(api.url, token.token);
    const tune = { suite_id: suiteId, models: ['sim::a'], search_space: { top_p: [0.5, 1] }, mode: 'grid', holdout: 0 };
    const { tune_id } = (await client.post('/api/tool-eval/param-tune', tune)).body;
    const prompts = { suite_id: suiteId, models: ['sim::a'], meta_model: 'sim::a', mode: 'quick', holdout: 0 };
    const promptTune = (await client.post('/api/tool-eval/prompt-tune', prompts)).body;
    const preset = { name: 'mine', search_space: tune.search_space };
    const { id: presetId } = (await client.post('/api/param-presets', preset)).body;
    const prompt = { suite_id: suiteId, components: { system_prompt: 'mine' }, tags: ['mine'] };
    const { id: promptId } = (await client.post('/api/prompt-versions', prompt)).body;
    const mine: Record<string, string> = {
      'tool-suites': suiteId,
      history: run.eval_id,
      jobs: run.job_id,
      experiments: experiment.id,
      gates: gate.id,
      runs: gateRun.gate_run_id,
      'param-tune/history': tune_id,
      'prompt-tune/history': promptTune.tune_id,
      'param-presets': presetId,
      'prompt-versions': promptId,
      tokens: token.id,
      'device-logins': 'BCDF-GHJK',
      sessions: (await client.get('/api/sessions')).body.items[0].id,
      users: (await client.post('/api/users', { name: 'mine', role: 'viewer' })).body.id,
      invitations: (await client.post('/api/invitations', { role: 'viewer' })).body.id,
      providers: 'sim',
    };
    const theirs = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    const case_ = { prompt: 'p', expected_tool: 'get_weather' };
    const { test_cases: _cases, ...suite } = weatherSuite(0);
    const bodies: Record<string, unknown> = {
      'POST /api/tool-eval': { suite_id: suiteId, models: ['sim::a'] },
      'POST /api/tool-eval/try': { case: case_, suite_id: suiteId, models: ['sim::a'] },
      'POST /api/tool-eval/cancel': { job_id: run.job_id },
      'POST /api/experiments': { name: 'x', suite_id: suiteId },
      'POST /api/tool-eval/param-tune': tune,
      'POST /api/tool-eval/param-tune/estimate': tune,
      'POST /api/tool-eval/prompt-tune': prompts,
      'POST /api/tool-eval/prompt-tune/estimate': prompts,
      'PATCH /api/tool-eval/param-tune/history/{id}': { name: 'stolen' },
      'PATCH /api/tool-eval/prompt-tune/history/{id}': { name: 'stolen' },
      'POST /api/prompt-versions': prompt,
      'PATCH /api/prompt-versions/{id}': { label: 'stolen' },
      'POST /api/gates': { ...rules, name: 'x' },
      'PUT /api/gates/{id}': { name: 'stolen' },
      'POST /api/gates/{id}/run': {},
      'POST /api/gates/{id}/run/estimate': {},
      'POST /api/jobs/{id}/resume': {},
      'POST /api/tool-eval/history/{id}/samples': { samples: 1 },
      'PATCH /api/tool-eval/history/{id}': { name: 'stolen' },
      'PATCH /api/tool-suites/{id}': { name: 'stolen' },
      'PATCH /api/providers/{key}': {
        name: 'stolen',
        headers: [{ name: 'X-Team', value: 'stolen' }],
        api_key_ref: null,
      },
      'PUT /api/tool-suites/{id}': suite,
      'POST /api/tool-suites/{id}/cases': case_,
      'POST /api/tool-eval/history/{id}/rescore': {},
      'POST /api/tool-eval/history/{id}/resume': {},
      'PUT /api/tool-eval/history/{id}/results/{resultId}/label': { label: 'wrong' },
      'PUT /api/tool-eval/history/{id}/results/{resultId}/note': { text: 'stolen' },
      'POST /api/tool-eval/history/{id}/labels': { labels: [{ result_id: '0-0-0', label: 'wrong' }] },
      'POST /api/tool-suites/{id}/mcp-sync': {},
      'PUT /api/experiments/{id}': { name: 'stolen' },
      'PUT /api/experiments/{id}/baseline': { eval_id: run.eval_id },
      'POST /api/experiments/{id}/run-best': {},
      'PUT /api/tool-suites/{id}/cases/{caseId}': case_,
      'PATCH /api/users/{id}': { role: 'viewer' },
      'PATCH /api/tokens/{id}': { monthly_cap_usd: 1 },
      'PUT /api/me/views/{list}': {},
      'PATCH /api/me/marks/{kind}/{id}': { tags: ['stolen'] },
      'POST /api/me/device-logins/{userCode}': { approve: true },
    };
    for (const { method, path, takesBody } of operations) {
      const operation = `${method} ${path}`;
      const body = bodies[operation] ?? (takesBody ? {} : undefined);
      const send = (ids: Record<string, string>, inner: string, result: string) =>
        theirs.send(
          method,
          path
            .replace('{caseId}', inner)
            .replace('{resultId}', result)
            .replace('{version}', '1')
            .replace('{candidate}', '0')
            .replaceAll(
              /(?<![\w-])((?:param|prompt)-tune\/history|[\w-]+)\/\{\w+\}/g,
              (_match, what: string) => `${what}/${ids[what]}`,
            )
            .replace(/\/check$/, `/check?eval_id=${ids.history}`),
          body,
        );
      const answer = await send(mine, caseId, '0-0-0');
      if (path.includes('{')) {
        if (takesBody) expect(Object.keys(bodies)).toContain(operation);
        const unknown = Object.fromEntries(
          Object.keys(mine).map((what) => [what, '01a1fc11-0570-72f9-b84b-b15294fa812e']),
        );
        const nothing = await send(unknown, unknown.history!, '0-0-0');
        const blurred = (text: string): string =>
          [...Object.values(mine), ...Object.values(unknown)].reduce((rest, id) => rest.replaceAll(id, 'ID'), text);
        expect([operation, answer.status, blurred(JSON.stringify(answer.body))]).toEqual([
          operation,
          404,
          blurred(JSON.stringify(nothing.body)),
        ]);
      } else if (operation in bodies) expect([operation, answer.status]).toEqual([operation, 422]);
      else if (answer.status < 300)
        for (const id of [...Object.values({ ...mine, providers: 'sim"' }), 'sim::', caseId, 'sk-secret'])
          expect([operation, JSON.stringify(answer.body)]).not.toEqual([operation, expect.stringContaining(`"${id}`)]);
    }
    expect((await client.get(`/api/tool-suites/${suiteId}`)).body).toMatchObject({ name: 'Weather', version: 1 });
    expect((await client.get(`/api/jobs/${run.job_id}`)).body.status).not.toBe('cancelled');
    expect((await client.get('/api/providers/sim')).body.name).toBe('sim');
  });
});

describe('tokens', () => {
  it('change nothing once revoked, even right after use', async () => {
    const { id, token } = (await client.post('/api/tokens', { name: 'leaver', role: 'editor' })).body;
    const leaver = clientOf(api.url, token);
    expect((await leaver.get('/api/me')).status).toBe(200);
    expect((await client.delete(`/api/tokens/${id}`)).status).toBe(204);
    expect((await leaver.post('/api/tool-eval/import', weatherSuite(1))).status).toBe(401);
    expect((await leaver.get('/api/me')).status).toBe(401);
  });

  it('stop working when they are revoked or expire, and are stored only as hashes', async () => {
    const revoked = (await client.post('/api/tokens', { name: 'revoked', role: 'viewer' })).body;
    const works = async (by: Client): Promise<boolean> => (await by.get('/api/me')).status === 200;
    expect(await works(clientOf(api.url, revoked.token))).toBe(true);
    expect((await client.delete(`/api/tokens/${revoked.id}`)).status).toBe(204);
    await until(async () => !(await works(clientOf(api.url, revoked.token))) && !(await works(expiring)), {
      what: 'both to stop working',
    });
    const everything = JSON.stringify([
      (await client.get('/api/tokens')).body,
      (await api.pool.query('SELECT * FROM token')).rows,
    ]);
    expect(everything).not.toContain(revoked.token);
    expect(everything).not.toContain(ADMIN_TOKEN);
  });

  it('cannot be deleted if no owner token would remain', async () => {
    const team = (await api.anotherTeam()).body;
    const owner = clientOf(api.url, team.token.token);
    const second = (await owner.post('/api/tokens', { name: 'second', role: 'owner' })).body;
    const outcomes = await Promise.all(
      [team.token, second].map(({ id, token }) => clientOf(api.url, token).delete(`/api/tokens/${id}`)),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('with a new name create a user of the team, once', async () => {
    for (const name of ['one', 'two'])
      expect((await client.post('/api/tokens', { name, role: 'editor', user: 'linus' })).body.user).toBe('linus');
    const { rowCount } = await api.pool.query(`SELECT 1 FROM users WHERE team_id = $1 AND name = 'linus'`, [
      api.teamId,
    ]);
    expect(rowCount).toBe(1);
  });
});

describe('a team', () => {
  it('limits the running jobs of a user; a waiting job starts when an owner raises the limit', async () => {
    const made = (await api.anotherTeam()).body;
    const owner = clientOf(api.url, made.token.token);
    const editor = clientOf(api.url, (await owner.post('/api/tokens', { name: 'e', role: 'editor' })).body.token);
    await owner.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
    const { suite_id } = (await owner.post('/api/tool-eval/import', weatherSuite(1))).body;
    expect((await editor.get('/api/settings/jobs')).body).toEqual({ running_jobs_per_user: 4 });
    const ids: string[] = [];
    for (let n = 0; n < 6; n++)
      ids.push((await owner.post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body.job_id);
    const seen = async () =>
      (await editor.get('/api/jobs')).body.items
        .map(({ status, detail }: any) => (status === 'pending' ? [status, detail] : [status]))
        .reverse();
    const running = ['queued'];
    const waiting = (limit: number) => [
      'pending',
      `Waits until fewer than ${limit} jobs of the same person are running. An owner can raise the limit.`,
    ];
    expect(await seen()).toEqual([running, running, running, running, waiting(4), waiting(4)]);

    expect((await editor.put('/api/settings/jobs', { running_jobs_per_user: 5 })).status).toBe(403);
    for (const limit of [0, 101, 1.5, '5'])
      expect((await owner.put('/api/settings/jobs', { running_jobs_per_user: limit })).status).toBe(400);
    expect(await owner.put('/api/settings/jobs', { running_jobs_per_user: 5 })).toMatchObject({
      status: 200,
      body: { running_jobs_per_user: 5 },
    });
    expect(await seen()).toEqual([running, running, running, running, running, waiting(5)]);
    expect((await editor.get(`/api/jobs/${ids[5]}`)).body.detail).toBe(waiting(5)[1]);
    await owner.put('/api/settings/jobs', { running_jobs_per_user: 1 });
    const alone = 'Waits until the running job of the same person ends. An owner can raise the limit of 1 running job.';
    expect((await seen()).slice(4)).toEqual([running, ['pending', alone]]);
    expect((await editor.get('/api/settings/jobs')).body).toEqual({ running_jobs_per_user: 1 });
    expect((await client.get('/api/settings/jobs')).body).toEqual({ running_jobs_per_user: 4 });
  });

  it('is created only by owners of the first team, and has a unique name', async () => {
    const { operator } = api;
    const made = await operator.post('/api/teams', { name: 'third' });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'third', token: { role: 'owner', token: expect.stringMatching(/^tm_/) } },
    });
    expect((await operator.post('/api/teams', { name: 'third' })).status).toBe(409);
    expect((await clientOf(api.url, made.body.token.token).post('/api/teams', { name: 'fourth' })).status).toBe(403);
    expect((await clientOf(api.url, made.body.token.token).get('/api/teams')).body.items).toEqual([
      expect.objectContaining({ name: 'third' }),
    ]);
  });
});
