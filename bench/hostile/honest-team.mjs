// A well-behaved team, and its runs next to a hostile team.
import { until } from '../chaos/deployment.mjs';
import { differences, repeatedRequests } from '../chaos/runs.mjs';

export class HonestTeam {
  static CONCURRENCY = 8;
  #runs = 0;

  static async create({ call, sql, api, simulator, latencyMs }) {
    const { id: teamId, token } = await call('POST', '/api/teams', { name: 'honest' });
    const self = new HonestTeam();
    const asTeam = (method, path, body) => call(method, path, body, token.token);
    const model = `slow-${latencyMs}:honest`;
    Object.assign(self, { call: asTeam, sql, api, simulator, latencyMs, model, teamId, token: token.token });
    await asTeam('POST', '/api/providers', {
      key: 'own',
      base_url: `${simulator.url}/v1`,
      api_key: 'sk-own-0123456789',
      limits: { max_concurrency: HonestTeam.CONCURRENCY },
      models: [{ id: model }],
    });
    return self;
  }

  idealMs(items) {
    return (items / HonestTeam.CONCURRENCY) * this.latencyMs;
  }

  /** Creates the suite of the next run, with prompts that no other run has. */
  async prepare(items) {
    const name = `honest ${this.#runs++}`;
    const suite = await this.call('GET', '/api/tool-eval/import/example');
    suite.name = name;
    suite.test_cases = Array.from({ length: items }, (_, n) => ({
      prompt: `What is the weather in Paris? (${name} ${n})`,
      expected_tool: 'get_weather',
      expected_params: { city: 'Paris' },
    }));
    const { suite_id: suiteId } = await this.call('POST', '/api/tool-eval/import', suite);
    return { name, items, suiteId };
  }

  /** Plays a run and measures it from before its submission to its end. A run over the timeout is cancelled. */
  async play({ suiteId, ...run }, timeoutMs) {
    const from = Date.now();
    const { eval_id: evalId, job_id: jobId } = await this.#submit(run.name, suiteId, timeoutMs);
    const finishedAt = `SELECT finished_at FROM run WHERE id = $1 AND status = 'completed'`;
    const ended = async () => (await this.sql.query(finishedAt, [evalId])).rows[0];
    const end = await until(ended, 'the honest run to end', timeoutMs).catch(() => undefined);
    if (end) {
      return {
        ms: end.finished_at - from,
        wrong: await differences(this.sql, { ...run, evalId }),
        repeated: await repeatedRequests(this.simulator.url, [run]),
      };
    }
    const settled = await this.sql.query('SELECT sum(settled)::int AS n FROM target WHERE run_id = $1', [evalId]);
    await until(() => this.call('POST', `/api/jobs/${jobId}/cancel`), 'the honest run to be cancelled');
    return {
      ms: Infinity,
      wrong: [`${settled.rows[0].n} of ${run.items} items in ${(timeoutMs / 1000).toFixed(1)} s`],
      repeated: await repeatedRequests(this.simulator.url, [run]),
    };
  }

  /** A submission that finds no API is retried with the same key, so there is one run. */
  #submit(name, suiteId, timeoutMs) {
    const submit = () =>
      fetch(`${this.api.url}/api/tool-eval`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.token}`,
          'content-type': 'application/json',
          'idempotency-key': name,
        },
        body: JSON.stringify({ suite_id: suiteId, models: [`own::${this.model}`], cache: 'off' }),
        signal: AbortSignal.timeout(timeoutMs),
      });
    const accepted = async () => {
      const response = await submit();
      return response.status === 202 && response.json();
    };
    return until(accepted, 'the honest run to be submitted', timeoutMs);
  }

  /** A run may still have begun after its submission timed out. */
  async cancelAll() {
    const unfinished = 'SELECT id FROM job WHERE team_id = $1 AND finished_at IS NULL';
    for (const { id } of (await this.sql.query(unfinished, [this.teamId])).rows)
      await this.call('POST', `/api/jobs/${id}/cancel`);
  }
}
