import { io, type Socket } from 'socket.io-client';
import { submitReport } from '#lib/judge/rows/store-report';
import { afterFile } from '../../../test/after-file.js';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Answer, type Client } from '../../../test/client.js';
import { until } from '../../../test/until.js';
import { ROUTES_WITH_RULES } from '../platform/suite-rules.js';

let api: SharedApi;
let owner: Client;
let operations: { method: string; path: string }[];

interface Things {
  suite: string;
  caseId: string;
  run: string;
  job: string;
  experiment: string;
  ids: Record<string, string>;
}
let a: Things;
let b: Things;

beforeAll(async () => {
  api = await joinIdleApi();
  owner = api.client;
  await addUnreachableModels(owner);
  const { paths } = (await owner.get('/openapi.json')).body as {
    paths: Record<string, Record<string, { security?: [] }>>;
  };
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // Open routes look at no token.
      .filter(([, { security }]) => security?.length !== 0)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  );
  a = await everythingOf('Suite of A');
  b = await everythingOf('Suite of B');
}, 60_000);

/** A suite, and one of everything that belongs to it. */
async function everythingOf(name: string): Promise<Things> {
  const post = async (path: string, body: object = {}) => {
    const { status, body: made } = await owner.post(path, body);
    expect([path, status < 300, made]).toEqual([path, true, made]);
    return made;
  };
  const suite = await owner.importSuite({ ...weatherSuite(2), name });
  const of = { suite_id: suite, models: ['sim::a'] };
  const { eval_id: run, job_id: job } = await post('/api/tool-eval', { ...of, name: `run of ${name}` });
  await api.pool.query(`UPDATE run SET status = 'completed', score = 1, finished_at = now() WHERE id = $1`, [run]);
  const experiment = (await post('/api/experiments', { name: `experiment of ${name}`, suite_id: suite })).id;
  const gate = (await post('/api/gates', { name: `gate of ${name}`, suite_id: suite, baseline: { eval_id: run } })).id;
  const tune = { ...of, search_space: { top_p: [0.5, 1] }, mode: 'grid', holdout: 0 };
  const prompts = { ...of, meta_model: 'sim::a', mode: 'quick', holdout: 0 };
  const texts = { suite_id: suite, components: { system_prompt: `texts of ${name}` }, tags: [] };
  const { rows } = await api.pool.query('SELECT user_id FROM run WHERE id = $1', [run]);
  const report = await submitReport(api.pool, {
    ...{ teamId: api.teamId, userId: rows[0].user_id, tokenId: null, runId: run, baselineId: null },
    ...{ asked: { eval_id: run } as never, judge: 'sim::b', source: 'user', experimentId: null, planned: 0 },
  });
  const caseId = (await owner.get(`/api/tool-suites/${suite}`)).body.test_cases[0].id as string;
  const ids = {
    'tool-suites': suite,
    history: run,
    jobs: job,
    experiments: experiment,
    gates: gate,
    runs: (await post(`/api/gates/${gate}/run`)).gate_run_id,
    'param-tune/history': (await post('/api/tool-eval/param-tune', tune)).tune_id,
    'prompt-tune/history': (await post('/api/tool-eval/prompt-tune', prompts)).tune_id,
    'prompt-versions': (await post('/api/prompt-versions', texts)).id,
    reports: report!.id,
    'marks/run': run,
  };
  return { suite, caseId, run, job, experiment, ids };
}

const limited = async (limits: object): Promise<Client> => {
  const { status, body } = await owner.post('/api/tokens', { name: 'ci', role: 'owner', ...limits });
  expect([status, body]).toEqual([201, expect.objectContaining(limits.hasOwnProperty('suite_ids') ? {} : limits)]);
  return clientOf(api.url, body.token);
};

const filled = (path: string, { ids, caseId }: Things): string =>
  path
    .replace('{caseId}', caseId)
    .replace('{resultId}', '0-0-0')
    .replace('{version}', '1')
    .replace('{candidate}', '0')
    .replace('{group}', '0-0')
    .replace('{list}', 'runs')
    .replace('{kind}/{id}', `run/${ids.history}`)
    .replaceAll(/(?<![\w-])((?:param|prompt)-tune\/history|[\w-]+)\/\{\w+\}/g, (_all, what: string) =>
      what in ids ? `${what}/${ids[what]}` : `${what}/01a1fc11-0570-72f9-b84b-b15294fa812e`,
    );
const withColons = (route: string): string => route.replaceAll(/\{(\w+)\}/g, ':$1');
const isOfSuite = (path: string): boolean =>
  /\{(id|runId|caseId)\}/.test(path.replace(/(lanes|tokens|param-presets|users|sessions|invitations)\/\{id\}/, ''));

describe('a token that is limited to suites', () => {
  it('reaches nothing of another suite by any route of the API, and what belongs to its own', async () => {
    const client = await limited({ suite_ids: [a.suite] });
    const outside = { suite_id: b.suite, eval_id: b.run, experiment_id: b.experiment, job_id: b.job, a: b.run };
    const queries = [`?${new URLSearchParams(outside)}`, `?a=${a.run}&b=${b.run}`, `?runs=${a.run},${b.run}`];
    const ofB = [...Object.values(b.ids), b.caseId, 'of B'];
    const refused = (answer: Answer) => [answer.status, answer.body.code];
    for (const { method, path } of operations) {
      const route = `${method} ${path}`;
      const send = (things: Things, query = '', body: object = {}) =>
        client.send(method, filled(path, things) + query, method === 'GET' || method === 'DELETE' ? undefined : body);
      if (isOfSuite(path)) {
        expect([route, ...refused(await send(b))]).toEqual([route, 403, 'token_suites']);
        expect(ROUTES_WITH_RULES).toContain(withColons(route));
        expect([route, ...refused(await send(a, queries[0]))]).toEqual([route, 403, 'token_suites']);
        continue;
      }
      if (path === '/api/session' || method === 'DELETE') continue;
      const tries = method === 'GET' ? ['', ...queries] : [{}, outside, { deep: [{ eval_id: b.run }] }];
      for (const asked of tries) {
        const [query, body] = typeof asked === 'string' ? [asked, {}] : ['', asked];
        const answer = await send(a, query, body);
        const text = JSON.stringify(answer.body);
        if (answer.status < 300)
          for (const word of ofB) expect([route, query, text.includes(word)]).toEqual([route, query, false]);
        if (answer.status < 300 && method !== 'GET')
          expect([route, body]).toEqual([expect.stringMatching(/views/), {}]);
      }
    }
    expect((await owner.get(`/api/tool-suites/${b.suite}`)).status).toBe(200);
  });

  it('works with its own suite, in lists, runs and comparisons, and says what it may not do', async () => {
    const client = await limited({ suite_ids: [a.suite] });
    for (const path of [
      'tool-suites',
      'tool-eval/history',
      'experiments',
      'gates',
      'jobs',
      'prompt-versions',
      'judge/reports',
      'tool-eval/param-tune/history',
      'tool-eval/prompt-tune/history',
    ]) {
      const [mine, all] = [await client.get(`/api/${path}`), await owner.get(`/api/${path}`)];
      expect([path, mine.status, mine.body.items.length]).toEqual([path, 200, all.body.items.length / 2]);
    }
    for (const path of ['/api/trends', '/api/spending?by=suite'])
      expect((await client.get(`${path}${path.includes('?') ? '&' : '?'}suite_id=${a.suite}`)).status).toBe(200);
    const record = (suite: string) => {
      const line = JSON.stringify({ case: a.caseId, reply: 'x' });
      const path = `/api/tool-eval/recorded?suite_id=${suite}&target_name=x`;
      return client.post(path, `${line}\n`, { 'content-type': 'application/x-ndjson' });
    };
    expect([(await record(a.suite)).status, (await record(b.suite)).status]).toEqual([202, 403]);
    const { body: submitted } = await client.post('/api/tool-eval', { suite_id: a.suite, models: ['sim::a'] });
    expect((await client.post(`/api/jobs/${submitted.job_id}/cancel`)).status).toBe(202);
    expect((await client.get(`/api/compare?a=${a.run}&b=${submitted.eval_id}`)).status).toBe(200);
    const mixed = { suite_id: a.suite, models: ['sim::a'], experiment_id: b.experiment };
    expect(await client.post('/api/tool-eval', mixed)).toMatchObject({ status: 403, body: { code: 'token_suites' } });
    expect(await client.post('/api/tool-eval/import', weatherSuite(1))).toMatchObject({
      status: 403,
      body: {
        code: 'token_suites',
        params: { token: 'ci', suites: 1 },
        detail:
          'The token "ci" is limited to the suite "Suite of A". This request is about more than one suite, or makes ' +
          'one. Use a token without this limit.',
      },
    });
    expect((await client.get('/api/judge/label-queue')).body.detail).toContain('has to name one of them');
    expect((await client.get('/api/me')).body.token).toMatchObject({ suite_ids: [a.suite] });
    const pageHeaders = { origin: api.url, authorization: '' };
    const session = await client.post('/api/session', { token: client.token }, pageHeaders);
    const cookie = { ...pageHeaders, cookie: session.headers.get('set-cookie')!.split(';')[0]! };
    const as = (path: string) => client.send('GET', path, undefined, cookie);
    expect([(await as(`/api/tool-suites/${a.suite}`)).status, (await as('/api/me')).status]).toEqual([200, 200]);
    expect((await as(`/api/tool-suites/${b.suite}`)).body.code).toBe('token_suites');
  });

  it('is made only for suites that the team has, and is listed with their names', async () => {
    const elsewhere = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    const theirs = await elsewhere.importSuite();
    const input = { name: 'ci', role: 'editor', suite_ids: [a.suite, theirs] };
    expect(await owner.post('/api/tokens', input)).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/suite_ids/1' }] },
    });
    expect((await owner.post('/api/tokens', { ...input, suite_ids: [] })).status).toBe(400);
    const made = await owner.post('/api/tokens', { ...input, suite_ids: [a.suite], monthly_cap_usd: 5 });
    const listed = (await owner.get('/api/tokens')).body.items.find(({ id }: { id: string }) => id === made.body.id);
    const suites = [{ id: a.suite, name: 'Suite of A' }];
    expect(listed).toMatchObject({ suites, monthly_cap_usd: 5, spent_usd: 0, reads_only: false });
  });

  it('follows the jobs of its suites live, and hears of no others', async () => {
    const client = await limited({ suite_ids: [a.suite] });
    const connect = async (token: string): Promise<{ socket: Socket; heard: string[] }> => {
      const socket = io(api.url, { auth: { token }, transports: ['websocket'], reconnection: false });
      afterFile(() => void socket.disconnect());
      const heard: string[] = [];
      socket.onAny((_name: string, { job_id: id }: { job_id: string }) => heard.push(id));
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
      return { socket, heard };
    };
    const [mine, all] = [await connect(client.token), await connect(owner.token)];
    const subscribe = (job_id: string) => mine.socket.timeout(30_000).emitWithAck('subscribe', { job_id });
    expect(await subscribe(a.job)).toMatchObject({ ok: true });
    expect(await subscribe(b.job)).toMatchObject({ ok: false, error: { status: 403, code: 'token_suites' } });
    const submit = async ({ suite }: Things): Promise<string> =>
      (await owner.post('/api/tool-eval', { suite_id: suite, models: ['sim::a'] })).body.job_id;
    const [other, own] = [await submit(b), await submit(a)];
    await until(() => mine.heard.includes(own) && all.heard.includes(other), { what: 'the events' });
    expect(mine.heard).not.toContain(other);
  });
});

describe('a token that only reads', () => {
  it('changes nothing by any route, but what its user keeps, whatever its role', async () => {
    const client = await limited({ reads_only: true });
    const mayDo = ['PUT /api/me/views/{list}', 'PATCH /api/me/marks/{kind}/{id}'];
    for (const { method, path } of operations) {
      const route = `${method} ${path}`;
      if (method === 'GET' || path === '/api/session') continue;
      const { status, body } = await client.send(method, filled(path, a), method === 'DELETE' ? undefined : {});
      if (mayDo.includes(route)) expect([route, status]).toEqual([route, 200]);
      else expect([route, status, body.code]).toEqual([route, 403, 'token_reads_only']);
    }
    for (const path of ['/api/tokens', '/api/providers/sim/discover'])
      expect(await client.get(path)).toMatchObject({ status: 403, body: { params: { token: 'ci' } } });
    expect((await client.get('/api/tool-suites')).status).toBe(200);
  });
});

it('a token with a monthly cap submits nothing that costs once it is spent, until an owner raises it', async () => {
  await owner.patch('/api/providers/sim', {
    models: [{ id: 'a', input_cost_per_mtok: 1, output_cost_per_mtok: 1 }, { id: 'b:8b' }],
  });
  const { id, token } = (await owner.post('/api/tokens', { name: 'ci', role: 'editor', monthly_cap_usd: 2 })).body;
  // Without it, its runs would have no cap.
  expect(await clientOf(api.url, token).delete(`/api/me/tokens/${id}`)).toMatchObject({
    status: 403,
    body: { code: 'token_limited' },
  });
  const client = clientOf(api.url, token);
  const submit = (model: string, by = client) =>
    by.post('/api/tool-eval', { suite_id: a.suite, models: [`sim::${model}`] });
  const { eval_id } = (await submit('a')).body;
  const stored = await api.pool.query('SELECT token_id FROM run WHERE id = $1', [eval_id]);
  expect(stored.rows).toEqual([{ token_id: id }]);
  await api.pool.query(
    `INSERT INTO token_spending SELECT $1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 3, 2.5`,
    [id],
  );
  const params = { token: 'ci', spent_usd: 2.5, cap_usd: 2 };
  const spent = { status: 409, body: { code: 'token_cap_reached', params } };
  expect(await submit('a')).toMatchObject(spent);
  const tried = { case: { prompt: 'p', expected_tool: 'get_weather' }, suite_id: a.suite, models: ['sim::a'] };
  expect(await client.post('/api/tool-eval/try', tried)).toMatchObject(spent);
  expect(await client.post(`/api/tool-eval/history/${a.run}/samples`, { samples: 1 })).toMatchObject(spent);
  expect([(await submit('b:8b')).status, (await submit('a', owner)).status]).toEqual([202, 202]);
  const raised = await owner.patch(`/api/tokens/${id}`, { monthly_cap_usd: 3 });
  expect(raised).toMatchObject({ status: 200, body: { monthly_cap_usd: 3, spent_usd: 2.5 } });
  expect((await submit('a')).status).toBe(202);
});

it('each rule for suites is about a route that there is', () => {
  const known = operations.map(({ method, path }) => withColons(`${method} ${path}`));
  expect(ROUTES_WITH_RULES.filter((route) => !known.includes(route))).toEqual([]);
});
