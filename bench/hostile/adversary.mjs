// A hostile team: what it can do to a deployment, and what became of it.
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../chaos/deployment.mjs';

const GIVE_UP_MS = 30_000;

/**
 * What a hostile way does goes on until `stop`, which also undoes it: sockets closed, runs cancelled, lanes resumed.
 * @param of `tokens` {owner, viewer} of the hostile team; `provider`: the URL of the hostile one; `name`: of the way
 */
export function adversary({ api, sql, provider, tokens, teamId, name }) {
  const ended = new AbortController();
  const { signal } = ended;
  const doing = [];
  const cleanups = [];
  const runs = [];
  const tally = new Map();
  const count = (what, n = 1) => tally.set(what, (tally.get(what) ?? 0) + n);
  let keys = 0;

  /** Counts how it was answered, under `as`. Fails of no answer: an API that is gone is what some want. */
  async function ask(
    method,
    path,
    body,
    {
      token = tokens.owner,
      as = `${method} ${path.split('?')[0].replace(/[0-9a-f-]{36}/g, ':id')}`,
      until: patience = GIVE_UP_MS,
    } = {},
  ) {
    const mayGoOn = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    try {
      const answer = await fetch(api.url + path, {
        method,
        signal: mayGoOn,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await answer.text();
      count(`${as} ${answer.status}`);
      return {
        status: answer.status,
        body:
          /^application\/(problem\+)?json/.test(answer.headers.get('content-type') ?? '') && text.length < 1e6
            ? JSON.parse(text)
            : text,
      };
    } catch (error) {
      if (!signal.aborted)
        count(
          `${as} ` +
            `${error.name === 'TimeoutError' ? `no answer in ${patience / 1000} s` : (error.cause?.code ?? 'cut off')}`,
        );
      return { status: 0, body: {} };
    }
  }
  /** What a way needs to begin with. */
  async function must(method, path, body) {
    const answer = await ask(method, path, body, { as: 'set up' });
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
    return answer.body;
  }

  const self = {
    signal,
    sql,
    ask,
    must,
    count,
    tokens,
    /** Does something again and again, at most so often a second and with so many at once. */
    repeat(perSecond, work, atOnce = 1) {
      for (let n = 0; n < atOnce; n++) {
        doing.push(
          (async () => {
            for (let turn = n; !signal.aborted; turn += atOnce) {
              const next = performance.now() + (1000 * atOnce) / perSecond;
              await work(turn).catch((error) => !signal.aborted && count(error.message.slice(0, 80)));
              await delay(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => {});
            }
          })(),
        );
      }
    },
    /** What is done once the way is over. */
    after: (work) => cleanups.push(work),
    /** A WebSocket that is welcome; `say` sends an event to the API. It connects again when it is closed. */
    socket(token = tokens.viewer) {
      const one = {
        say: (event, data) => one.open && one.ws.send(`421${JSON.stringify([event, data])}`),
        raw: (text) => one.open && (one.ws.send(text), true),
        open: false,
        ws: undefined,
      };
      const connect = () => {
        one.ws = new WebSocket(`${api.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
        one.ws.onmessage = ({ data }) => {
          if (data === '2') one.ws.send('3');
          else if (data.startsWith('0{')) one.ws.send(`40${JSON.stringify({ token })}`);
          else if (data.startsWith('40')) one.open = true;
          else if (data.startsWith('43')) count('packets answered');
        };
        one.ws.onerror = () => {};
        one.ws.onclose = () => {
          if (one.open) count('sockets closed by the API');
          one.open = false;
          if (!signal.aborted) setTimeout(connect, 200);
        };
      };
      connect();
      signal.addEventListener('abort', () => ((one.open = false), one.ws.close()));
      return one;
    },
    /** @returns the name of a target: a model of the hostile provider, on a lane of its own */
    async model(id, { kind = 'openai', concurrency = 8, models = [id] } = {}) {
      const key = `${name}-${keys++}`
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .slice(0, 60);
      const base = kind === 'anthropic' ? provider.url : `${provider.url}/v1`;
      await must('POST', '/api/providers', {
        key,
        kind,
        base_url: base,
        api_key: `sk-${key}-0123456789`,
        limits: { max_concurrency: concurrency },
        models: models.map((one) => ({ id: one })),
      });
      return `${key}::${id}`;
    },
    /** @param of `one`: what every case has beside its prompt */
    async suite(cases, one = { expected_tool: 'get_weather', expected_params: { city: 'Paris' } }, more = {}) {
      const example = await must('GET', '/api/tool-eval/import/example');
      const file = {
        ...example,
        name,
        test_cases: Array.from({ length: cases }, (_, n) => ({
          prompt: `What is the weather in Paris? (${n})`,
          ...one,
        })),
        ...more,
      };
      return (await must('POST', '/api/tool-eval/import', file)).suite_id;
    },
    async run(suiteId, models, more = {}) {
      const { eval_id: id, job_id: jobId } = await must('POST', '/api/tool-eval', {
        suite_id: suiteId,
        models,
        cache: 'off',
        tool_choice: 'auto',
        model_order: 'parallel',
        ...more,
      });
      runs.push({ id, jobId });
      return { id, jobId };
    },
    /** Pauses or resumes the lanes of the team. */
    async lanes(what) {
      for (const { id } of (await must('GET', '/api/lanes')).items) await must('POST', `/api/lanes/${id}/${what}`);
    },
    /**
     * A run that `store` changes in Postgres before it begins, as a release that refused less may have left it
     * there.
     */
    async stored(suiteId, models, more, store) {
      await self.lanes('pause');
      const run = await self.run(suiteId, models, more);
      const changed = await store(run.id);
      if (!changed.rowCount) throw new Error(`Nothing was stored for "${name}".`);
      await self.lanes('resume');
      return run;
    },
    finished: (run) =>
      until(
        async () =>
          (await sql.query(`SELECT 1 FROM run WHERE id = $1 AND status = 'completed'`, [run.id])).rowCount > 0,
        `the run of "${name}" to complete`,
        60_000,
      ),
    begun: (run) =>
      until(
        async () => (await sql.query('SELECT 1 FROM in_flight WHERE run_id = $1', [run.id])).rowCount > 0,
        `the run of "${name}" to begin`,
        30_000,
      ),
    /**
     * Before anything is undone, in words: how the API answered, what became of the runs, how often the provider
     * was asked.
     */
    async outcome() {
      const said = [...tally].filter(([what]) => !what.startsWith('set up 2')).map(([what, n]) => `${n} x ${what}`);
      const { rows } = await sql.query(
        `SELECT coalesce(e.error_kind, e.error_type, 'not settled') AS what, sum(e.n)::int AS n FROM (
           SELECT r.outcome, r.error_kind, r.error_type, count(*) AS n FROM result r WHERE r.run_id = ANY ($1)
             GROUP BY 1, 2, 3
           UNION ALL SELECT NULL, NULL, NULL, sum(n - settled) FROM target WHERE run_id = ANY ($1)) e WHERE e.n > 0
             GROUP BY 1 ORDER BY 2 DESC`,
        [runs.map(({ id }) => id)],
      );
      const { rows: statuses } = await sql.query(
        'SELECT status, count(*)::int AS n FROM run WHERE id = ANY ($1) GROUP BY 1',
        [runs.map(({ id }) => id)],
      );
      const asked = await (await fetch(`${provider.url}/asked`)).json();
      const requests = Object.values(asked).reduce((sum, n) => sum + n, 0) - askedBefore;
      return [
        ...said,
        ...statuses.map(({ status, n }) => `${n} runs ${status}`),
        ...rows.map(({ what, n }) => `${n} items ${what}`),
        ...(requests ? [`${requests} requests to its provider`] : []),
      ].join(', ');
    },
    endAll: () => ended.abort(),
    async stop() {
      self.endAll();
      await Promise.all(doing);
      for (const work of cleanups) await work();
      const { rows: jobs } = await sql.query(`SELECT id FROM job WHERE team_id = $1 AND finished_at IS NULL`, [teamId]);
      // With a patience of its own: whatever the way did to the API, its runs are not to disturb the next one.
      for (const { id } of jobs) {
        await until(
          async () =>
            [202, 404, 409].includes(
              (
                await fetch(`${api.url}/api/jobs/${id}/cancel`, {
                  method: 'POST',
                  headers: { authorization: `Bearer ${tokens.owner}` },
                })
              ).status,
            ),
          'a hostile job to be cancelled',
          120_000,
        );
      }
      await sql.query('UPDATE lane SET paused_at = NULL WHERE team_id = $1', [teamId]);
      await until(
        async () =>
          (
            await sql.query('SELECT 1 FROM in_flight i JOIN run r ON r.id = i.run_id WHERE r.team_id = $1 LIMIT 1', [
              teamId,
            ])
          ).rowCount === 0,
        `the items of "${name}" to be gone`,
        120_000,
      );
    },
  };
  let askedBefore = 0;
  self.ready = fetch(`${provider.url}/asked`)
    .then((answer) => answer.json())
    .then((asked) => (askedBefore = Object.values(asked).reduce((sum, n) => sum + n, 0)));
  return self;
}
