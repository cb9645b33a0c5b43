// Walks the operations of a running Toolmark with generated requests, one after another, and keeps what is wrong.
import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { judgeOf } from './faults.mjs';
import { concrete, operationsOf, requestOf, withPlaceholders } from './requests.mjs';
import { asCurl, send } from './send.mjs';
import { addDecisions, addSession, callerOf, MARK, stockTeam } from './stock.mjs';

/** How many requests a team takes before its things are deleted, renamed and cancelled beyond use. */
const REQUESTS_OF_TEAM = 200;
/** From one operation to the next: a prime, so that it meets all of them. */
const STEP = 9973;
const ID_OF_NOTHING = '019aa8a2-5c1e-7000-8000-0000000000ff';
const MOST_ATTEMPTS_TO_SHRINK = 60;
const TRIES_OF_503 = 6;
const WRONG_TOKEN = 'tm_this-is-a-token-of-nobody-0123456789';
const STRANGER_HEADERS = {
  wrong: { authorization: `Bearer ${WRONG_TOKEN}` },
  malformed: { authorization: 'Bearer \u00e9 x, Basic eDp4' },
  nobody: {},
};

export class Walk {
  /** What is wrong, by operation and sentence: `{name, sentence, seed, curl, times}`. */
  faults = new Map();
  statuses = new Map();
  slowest = [];
  played = 0;
  #teams = [];

  /** `hasWorkers`: whether runs end by themselves; `exampleIds`: ids in the examples of the document, by kind */
  constructor({ url, token, simulatorUrl, toolsUrl = 'http://127.0.0.1:1', seed, exampleIds, hasWorkers = true }) {
    Object.assign(this, { url, token, simulatorUrl, toolsUrl, seed, exampleIds, hasWorkers });
    this.operator = callerOf(url, token);
  }

  async prepare() {
    const document = await this.operator('GET', '/openapi.json');
    this.document = withPlaceholders(document, this.exampleIds);
    // Without a worker, a try-out waits until its deadline.
    this.operations = operationsOf(this.document).filter(({ name }) => this.hasWorkers || !/\/try$/.test(name));
    this.requests = new Map();
    this.judge = judgeOf(document, { readsBodies: this.hasWorkers });
    [this.other] = await Promise.all([this.#stock(MARK), this.#stock('fuzz').then((team) => this.#teams.push(team))]);
  }

  get teams() {
    return [...this.#teams, ...(this.other ? [this.other] : [])];
  }

  /** Sends the n-th request of the seed, and a smaller one that is wrong in the same way, if it is wrong. */
  async play(n) {
    if (this.#teams.length <= n / REQUESTS_OF_TEAM) this.#teams.push(await this.#stock('fuzz'));
    const operation = this.operations[(n * STEP + this.seed) % this.operations.length];
    if (!this.requests.has(operation)) this.requests.set(operation, requestOf(operation, this.document));
    const seed = this.seed * 1_000_003 + n;
    let attempts = 0;
    let last;
    const isWell = async (request) => {
      if (attempts++ > MOST_ATTEMPTS_TO_SHRINK) return true;
      const { faults, asked } = await this.#try(operation, request, attempts === 1);
      if (faults.length === 0) return true;
      if (attempts === 1 && this.#isKnown(operation, faults)) return true;
      last = { faults, asked };
      return false;
    };
    await fc.check(fc.asyncProperty(this.requests.get(operation), isWell), { seed, numRuns: 1 });
    this.played++;
    if (last) this.#keep(operation, last.faults, { n, curl: asCurl(this.url, last.asked) });
  }

  /** For what is found beside an answer. */
  note(name, sentence, more = {}) {
    this.#keep({ name }, [sentence], { n: this.played, curl: '', ...more });
  }

  #keep({ name }, faults, { n, curl }) {
    for (const sentence of faults) {
      const key = keyOf(name, sentence);
      const found = this.faults.get(key);
      if (found) found.times++;
      else this.faults.set(key, { name, sentence, n, curl, times: 1 });
    }
  }

  #isKnown({ name }, faults) {
    const known = faults.map((sentence) => this.faults.get(keyOf(name, sentence)));
    if (!known.every(Boolean)) return false;
    known.forEach((fault) => fault.times++);
    return true;
  }

  async #try(operation, request, isFirst) {
    const own = this.#teams.at(-1);
    const asked = concrete(operation, request, (kind, whose) => this.#fill(kind, whose));
    const credential = STRANGER_HEADERS[asked.caller] ?? own.callers[asked.caller] ?? {};
    const sent = { ...asked, headers: { ...asked.headers, ...credential } };
    const others = Array.from({ length: asked.times - 1 }, () => this.#answerTo(sent));
    const answers = [await this.#answerTo(sent), ...(await Promise.all(others))];
    if (isFirst) answers.forEach((answer) => this.#count(operation, answer));
    const teams = { own, other: this.other };
    if (asked.body !== undefined && answers.some(({ status }) => status >= 200 && status < 300))
      for (const id of Object.values(this.other.ids)) if (asked.body.includes(id)) own.storedIds.add(id);
    return {
      asked,
      faults: [...new Set(answers.flatMap((answer) => this.judge({ operation, asked, answer, teams })))],
    };
  }

  /** A 503 that says when to try again passes. */
  async #answerTo(sent) {
    let answer = await send(this.url, sent);
    for (let tries = 1; answer.status === 503 && answer.headers['retry-after'] && tries < TRIES_OF_503; tries++) {
      await delay(Math.min(1000 * Number(answer.headers['retry-after']), 500 * tries));
      answer = await send(this.url, sent);
    }
    return answer;
  }

  #fill(kind, whose) {
    if (kind === 'nothing') return ID_OF_NOTHING;
    if (kind === 'simulator') return this.simulatorUrl;
    if (kind === 'tools') return this.toolsUrl;
    return (whose === 'other' ? this.other : this.#teams.at(-1)).ids[kind] ?? ID_OF_NOTHING;
  }

  #count({ name }, { status, tookMs }) {
    const of = this.statuses.get(name) ?? new Map();
    this.statuses.set(name, of.set(status, (of.get(status) ?? 0) + 1));
    this.slowest = [...this.slowest, { name, status, tookMs }].sort((a, b) => b.tookMs - a.tookMs).slice(0, 5);
  }

  async #stock(mark) {
    await this.#resetQuotas();
    const { url, operator, simulatorUrl } = this;
    const team = await stockTeam({ url, operator, simulatorUrl, mark });
    await addSession(url, team);
    if (this.hasWorkers) await addDecisions(team, mark, (jobId) => hasEnded(team.keeper, jobId));
    team.callers.operator = { authorization: `Bearer ${this.token}` };
    return team;
  }

  /** Those of all teams, which operators have set. */
  async #resetQuotas() {
    if (!this.document.paths['/api/settings/quotas']) return;
    const path = '/api/settings/quotas?team_id=all';
    const { quotas } = await this.operator('GET', path);
    const set = quotas.filter((quota) => quota.is_set);
    if (set.length)
      await this.operator('PUT', path, { quotas: Object.fromEntries(set.map(({ name }) => [name, null])) });
  }

  /** What the other team has when its own jobs have ended: it must be the same before and after. */
  async stillness() {
    if (this.hasWorkers) await this.#untilIdle(this.other.keeper);
    for (let last; ; await delay(300)) {
      const now = await this.snapshot();
      if (last && [...now].every(([path, text]) => last.get(path) === text)) return now;
      last = now;
    }
  }

  async #untilIdle(keeper) {
    const isIdle = async () =>
      (await keeper('GET', `/api/jobs?${OPEN_JOBS}`)).items.every(({ id }) => id === this.other.ids.job);
    for (const deadline = performance.now() + 120_000; performance.now() < deadline; await delay(100))
      if (await isIdle()) return;
    throw new Error('The jobs of the other team do not end.');
  }

  async snapshot() {
    const { keeper, ids } = this.other;
    const paths = this.operations.filter(({ method, path }) => method === 'GET' && STILL.has(path));
    const answers = await Promise.all(
      paths.map(async ({ path, parameters }) => {
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
          const example = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name).schema;
          return String(example?.examples?.[0] ?? 'x').replaceAll(/«own\.(\w+)»/g, (__, kind) => ids[kind]);
        });
        return [path, withoutTimes(await keeper('GET', filled).catch(({ message }) => message))];
      }),
    );
    return new Map(answers);
  }

  /** Cancels what is left of each team's jobs. @returns those that do not end, and say no reason */
  async endJobs() {
    return (await Promise.all(this.teams.map(({ keeper }) => this.#endJobsOf(keeper)))).flat();
  }

  async #endJobsOf(keeper) {
    const open = async () => (await keeper('GET', `/api/jobs?${OPEN_JOBS}`)).items;
    let jobs = await open();
    for (
      const deadline = performance.now() + 60_000;
      jobs.length && performance.now() < deadline;
      jobs = await open()
    ) {
      for (const { id } of jobs) await keeper('POST', `/api/jobs/${id}/cancel`).catch(() => {});
      if (this.hasWorkers) await delay(200);
    }
    return jobs.filter(({ detail }) => !detail);
  }
}

const OPEN_JOBS = 'status=pending&status=queued&status=running&limit=200';
const keyOf = (name, sentence) => `${name} ${sentence.slice(0, 60).replaceAll(/\d[\d.]*/g, '0')}`;

/** What only its own team changes, and nothing else. */
const STILL = new Set([
  ...['/api/tokens', '/api/users', '/api/invitations', '/api/providers', '/api/providers/{key}'],
  ...['/api/tool-suites', '/api/tool-suites/{id}', '/api/tool-suites/{id}/versions', '/api/tool-eval/history/{id}'],
  ...['/api/experiments', '/api/experiments/{id}', '/api/gates', '/api/gates/{id}', '/api/param-presets'],
  ...['/api/prompt-versions', '/api/prompt-versions/{id}', '/api/judge/reports', '/api/tool-eval/param-tune/history'],
  ...['judge', 'embedding', 'cache', 'jobs', 'spending'].map((one) => `/api/settings/${one}`),
]);

/** Without when something was last used, sums whose order differs, and what runs go on to find. */
const withoutTimes = (answer) =>
  JSON.stringify(answer, (key, value) =>
    /_at$|^(jobs|used|warnings|session|spent_usd)/.test(key) ? undefined : value,
  );

async function hasEnded(call, jobId) {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await delay(50)) {
    const { finished_at } = await call('GET', `/api/jobs/${jobId}`);
    if (finished_at !== null) return;
  }
  throw new Error(`The job ${jobId} does not end.`);
}
