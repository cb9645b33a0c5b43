import { pino } from 'pino';
import type { JudgeReport } from '#lib/judge/contract';
import { finishRun, runsToFinish } from '#lib/db/engine/finish-run';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { connectRedis } from '#lib/runtime/redis';
import { judge } from '../apps/worker/judge/judge-steps.js';
import { startApi } from './api.js';
import { clientOf, weatherSuite, type Client } from './client.js';
import { orchestrationOf, type Child, type Stores } from './orchestrations.js';

/** A judge's task: the evidence, and the run that asks. */
interface JudgeRequest {
  task: string;
  conversation?: { content: string }[];
  [evidence: string]: unknown;
}
/** The arguments of the call that a judge replies with; undefined: no call. */
export type Judge = (asked: JudgeRequest, child: Child) => object | undefined;

const evidenceIn = (content: string): JudgeRequest => {
  const [, json] = /^BEGIN EVIDENCE [0-9a-f]{32}\n(.*)\nEND EVIDENCE/m.exec(content) ?? [];
  return JSON.parse(json!) as JudgeRequest;
};

/** A private API without workers, and the workers' part in judge reports. The test plays the models. */
export async function openJudges() {
  const api = await startApi();
  const redis = connectRedis(api.env.REDIS_URL, 'producer', pino({ level: 'silent' }));
  const stores = { pool: api.pool, redis };
  const finish = async (): Promise<void> => {
    for (const run of await runsToFinish(api.pool)) await finishRun(api.pool, run);
  };
  let teams = 0;
  return {
    pool: api.pool,
    async close(): Promise<void> {
      await redis.quit();
      await api.close();
    },
    /** A team with a run of model `a` with these scores. */
    async aRun(outcomes: readonly Outcome[]): Promise<{ client: Client; runId: string; suiteId: string }> {
      const { token } = (await api.client.post('/api/teams', { name: `team ${teams++}` })).body;
      const client = clientOf(api.url, token.token);
      const models = [{ id: 'a' }, { id: 'judge' }];
      await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models });
      const suite = weatherSuite(outcomes.length);
      const { suite_id: suiteId } = (await client.post('/api/tool-eval/import', suite)).body;
      const { body } = await client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'] });
      await settleRun(api.pool, body.eval_id, outcomes);
      await finish();
      return { client, runId: body.eval_id, suiteId };
    },
    /** Submits a report, which does not begin. */
    async aReport(client: Client, input: object) {
      const { status, body } = await client.post('/api/judge', { judge: 'sim::judge', ...input });
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
      return reportOf(stores, finish, client, body.report_id);
    },
  };
}

async function reportOf(stores: Stores, finish: () => Promise<void>, client: Client, id: string) {
  const { rows } = await stores.pool.query('SELECT team_id FROM judge_report WHERE id = $1', [id]);
  const teamId: string = rows[0].team_id;
  const orchestration = orchestrationOf(stores, { teamId, id }, judge);
  const writeCalls = async (child: Child, judge: Judge): Promise<void> => {
    const cases = await orchestration.rows(
      `SELECT c.position, c.body FROM run r JOIN suite_version_case c ON c.version_id = r.suite_version_id
         AND c.position = ANY (r.case_positions) WHERE r.id = $1`,
      [child.id],
    );
    for (const { position, body: json } of cases) {
      const { tools, messages } = JSON.parse(json);
      const args = judge(evidenceIn(messages[1].content), child);
      const called = args ? [{ name: tools[0].function.name, arguments: args }] : [];
      await stores.pool.query('UPDATE result SET called = $3 WHERE run_id = $1 AND case_position = $2', [
        child.id,
        position,
        JSON.stringify(called),
      ]);
    }
  };
  return {
    ...orchestration,
    id,
    teamId,
    read: async (): Promise<JudgeReport> => (await client.get(`/api/judge/reports/${id}`)).body,
    judgements: async (): Promise<any[]> =>
      (await client.get(`/api/judge/reports/${id}/verdicts?limit=200`)).body.items,
    /** Answers its requests. */
    async reply(judge: Judge): Promise<void> {
      for (const child of await orchestration.children()) {
        if (!['pending', 'queued', 'running'].includes(child.status)) continue;
        await settleRun(
          stores.pool,
          child.id,
          Array.from({ length: child.cases }, () => 1),
        );
        await writeCalls(child, judge);
      }
      await finish();
    },
    async end(judge: Judge): Promise<JudgeReport> {
      for (;;) {
        await orchestration.step();
        await this.reply(judge);
        const found = await this.read();
        if (!['pending', 'queued', 'running'].includes(found.status)) return found;
      }
    },
  };
}
