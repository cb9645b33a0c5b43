// A hostile team: its attacks on a deployment, and their outcome.
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../chaos/deployment.mjs';

const GIVE_UP_MS = 30_000;
const WEATHER_CALL = { expected_tool: 'get_weather', expected_params: { city: 'Paris' } };

/** An attack continues until `stop`, which also undoes it: sockets closed, runs cancelled, lanes resumed. */
export class Adversary {
  static #shared = new Map();
  #ended = new AbortController();
  signal = this.#ended.signal;
  #loops = [];
  #cleanups = [];
  #runs = [];
  #counts = new Map();
  #providers = 0;
  #requestsBefore;

  /** `tokens`: {owner, viewer} of the hostile team; `provider`: the URL of the hostile one; `name`: the attack's */
  constructor({ api, sql, provider, tokens, teamId, name, newTeam }) {
    Object.assign(this, { api, sql, provider, tokens, teamId, name, newTeam });
    this.#requestsBefore = this.#requestsToProvider();
  }

  /** Counts the response to the request under `as`. Does not throw: some attacks aim at an API that is gone. */
  async ask(method, path, body, { token = this.tokens.owner, headers, as = templateOf(method, path) } = {}) {
    try {
      const response = await fetch(this.api.url + path, {
        method,
        signal: AbortSignal.any([this.signal, AbortSignal.timeout(GIVE_UP_MS)]),
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await response.text();
      this.count(`${as} ${response.status}`);
      const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '');
      return { status: response.status, body: isJson && text.length < 1e6 ? JSON.parse(text) : text };
    } catch (error) {
      const timedOut = error.name === 'TimeoutError';
      const why = timedOut ? `no answer in ${GIVE_UP_MS / 1000} s` : (error.cause?.code ?? 'cut off');
      if (!this.signal.aborted) this.count(`${as} ${why}`);
      return { status: 0, body: {} };
    }
  }

  /** For requests that an attack needs before it starts: throws unless the request succeeds. */
  async must(method, path, body) {
    const answer = await this.ask(method, path, body, { as: 'set up' });
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
    return answer.body;
  }

  count(what, n = 1) {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + n);
  }

  /** Repeats some work, at most `perSecond` times a second and `atOnce` at a time. */
  repeat(perSecond, work, atOnce = 1) {
    const loop = async (first) => {
      for (let turn = first; !this.signal.aborted; turn += atOnce) {
        const next = performance.now() + (1000 * atOnce) / perSecond;
        await work(turn).catch((error) => !this.signal.aborted && this.count(error.message.slice(0, 80)));
        await delay(Math.max(0, next - performance.now()), undefined, { signal: this.signal }).catch(() => {});
      }
    };
    for (let n = 0; n < atOnce; n++) this.#loops.push(loop(n));
  }

  /** Shares setup between attacks of the team: the first one creates it. */
  once(name, make) {
    if (!Adversary.#shared.has(name)) Adversary.#shared.set(name, make());
    return Adversary.#shared.get(name);
  }

  /** A separate hostile team for the duration of this attack. */
  async another(name) {
    const { api, sql, provider, newTeam } = this;
    const team = new Adversary({ api, sql, provider, newTeam, name, ...(await newTeam(name)) });
    this.signal.addEventListener('abort', () => team.end());
    this.after(() => team.stop());
    return team;
  }

  /** Runs once the attack is over. */
  after(work) {
    this.#cleanups.push(work);
  }

  /** A connected WebSocket, which reconnects when it is closed. `raw` sends a packet if it is open. */
  socket(token = this.tokens.viewer) {
    const socket = {
      open: false,
      ws: undefined,
      raw: (text) => socket.open && (socket.ws.send(text), true),
    };
    const connect = () => {
      socket.ws = new WebSocket(`${this.api.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
      socket.ws.onmessage = ({ data }) => {
        if (data === '2') socket.ws.send('3');
        else if (data.startsWith('0{')) socket.ws.send(`40${JSON.stringify({ token })}`);
        else if (data.startsWith('40')) socket.open = true;
        else if (data.startsWith('43')) this.count('packets answered');
      };
      socket.ws.onerror = () => {};
      socket.ws.onclose = () => {
        if (socket.open) this.count('sockets closed by the API');
        socket.open = false;
        if (!this.signal.aborted) setTimeout(connect, 200);
      };
    };
    connect();
    this.signal.addEventListener('abort', () => ((socket.open = false), socket.ws.close()));
    return socket;
  }

  /** @returns the name of a target: a model of the hostile provider, on a separate lane */
  async model(id, { kind = 'openai', concurrency = 8, models = [id] } = {}) {
    const key = `${this.name}-${this.#providers++}`
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 60);
    await this.must('POST', '/api/providers', {
      key,
      kind,
      base_url: kind === 'anthropic' ? this.provider.url : `${this.provider.url}/v1`,
      api_key: `sk-${key}-0123456789`,
      limits: { max_concurrency: concurrency },
      models: models.map((model) => ({ id: model })),
    });
    return `${key}::${id}`;
  }

  /** `fields`: fields of every case in addition to its prompt; `more`: other fields of the suite */
  async suite(cases, fields = WEATHER_CALL, more = {}) {
    const example = await this.must('GET', '/api/tool-eval/import/example');
    const file = {
      ...example,
      name: this.name,
      test_cases: Array.from({ length: cases }, (_, n) => ({
        prompt: `What is the weather in Paris? (${n})`,
        ...fields,
      })),
      ...more,
    };
    return (await this.must('POST', '/api/tool-eval/import', file)).suite_id;
  }

  async run(suiteId, models, more = {}) {
    const { eval_id: id, job_id: jobId } = await this.must('POST', '/api/tool-eval', {
      suite_id: suiteId,
      models,
      cache: 'off',
      tool_choice: 'auto',
      model_order: 'parallel',
      ...more,
    });
    this.#runs.push(id);
    return { id, jobId };
  }

  /** Pauses or resumes the lanes of the team. */
  async lanes(action) {
    for (const { id } of (await this.must('GET', '/api/lanes')).items)
      await this.must('POST', `/api/lanes/${id}/${action}`);
  }

  /**
   * A run that `store` changes in Postgres before it begins, into a state that an earlier, laxer release may have left.
   */
  async stored(suiteId, models, more, store) {
    await this.lanes('pause');
    const run = await this.run(suiteId, models, more);
    const changed = await store(run.id);
    if (!changed.rowCount) throw new Error(`Nothing was stored for "${this.name}".`);
    await this.lanes('resume');
    return run;
  }

  /** Takes long alongside other attacks of its team, which share the team's limit of items in progress. */
  finished(run) {
    const ended = `SELECT 1 FROM run WHERE id = $1 AND status = 'completed'`;
    return this.#untilRow(ended, run.id, `the run of "${this.name}" to complete`, 180_000);
  }

  begun(run) {
    const inFlight = 'SELECT 1 FROM in_flight WHERE run_id = $1';
    return this.#untilRow(inFlight, run.id, `the run of "${this.name}" to begin`, 30_000);
  }

  #untilRow(query, id, what, timeoutMs) {
    return until(async () => (await this.sql.query(query, [id])).rowCount > 0, what, timeoutMs);
  }

  /**
   * In words, before anything is undone: the API's responses, how runs ended, and the number of requests to the
   * provider.
   */
  async outcome() {
    const answers = [...this.#counts].filter(([what]) => !what.startsWith('set up 2'));
    const { rows: statuses } = await this.sql.query(
      'SELECT status, count(*)::int AS n FROM run WHERE id = ANY ($1) GROUP BY 1',
      [this.#runs],
    );
    const { rows: items } = await this.sql.query(
      `SELECT coalesce(e.error_kind, e.error_type, 'not settled') AS what, sum(e.n)::int AS n FROM (
         SELECT r.outcome, r.error_kind, r.error_type, count(*) AS n
           FROM result r WHERE r.run_id = ANY ($1) GROUP BY 1, 2, 3
         UNION ALL SELECT NULL, NULL, NULL, sum(n - settled) FROM target WHERE run_id = ANY ($1)) e
       WHERE e.n > 0 GROUP BY 1 ORDER BY 2 DESC`,
      [this.#runs],
    );
    const requests = (await this.#requestsToProvider()) - (await this.#requestsBefore);
    return [
      ...answers.map(([what, n]) => `${n} x ${what}`),
      ...statuses.map(({ status, n }) => `${n} runs ${status}`),
      ...items.map(({ what, n }) => `${n} items ${what}`),
      ...(requests ? [`${requests} requests to its provider`] : []),
    ].join(', ');
  }

  async #requestsToProvider() {
    const counts = await (await fetch(`${this.provider.url}/asked`)).json();
    return Object.values(counts).reduce((sum, n) => sum + n, 0);
  }

  end() {
    this.#ended.abort();
  }

  async stop() {
    this.end();
    await Promise.all(this.#loops);
    for (const work of this.#cleanups) await work();
    const unfinished = 'SELECT id FROM job WHERE team_id = $1 AND finished_at IS NULL';
    for (const { id } of (await this.sql.query(unfinished, [this.teamId])).rows) await this.#cancel(id);
    await this.sql.query('UPDATE lane SET paused_at = NULL WHERE team_id = $1', [this.teamId]);
    const inFlight = 'SELECT 1 FROM in_flight i JOIN run r ON r.id = i.run_id WHERE r.team_id = $1 LIMIT 1';
    await until(
      async () => (await this.sql.query(inFlight, [this.teamId])).rowCount === 0,
      `the items of "${this.name}" to be gone`,
      120_000,
    );
  }

  /** Waits longer than `ask`: whatever the attack did to the API, its runs must not disturb the next attack. */
  async #cancel(jobId) {
    const cancel = () =>
      fetch(`${this.api.url}/api/jobs/${jobId}/cancel`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.tokens.owner}` },
      });
    await until(
      async () => [202, 404, 409].includes((await cancel()).status),
      'a hostile job to be cancelled',
      120_000,
    );
  }
}

const templateOf = (method, path) => `${method} ${path.split('?')[0].replace(/[0-9a-f-]{36}/g, ':id')}`;
