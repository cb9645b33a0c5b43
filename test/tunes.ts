import { pino } from 'pino';
import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import type { Outcome } from '#lib/db/testing/settled-run';
import { connectRedis } from '#lib/runtime/redis';
import { paramTune } from '../apps/worker/param-tune/param-tune-steps.js';
import { startApi } from './api.js';
import { clientOf, weatherSuite, type Client } from './client.js';
import { orchestrationOf, type Child, type Replies, type Stores } from './orchestrations.js';

const ROUTE = '/api/tool-eval/param-tune';

/** A model's result for a case with the values of an arm: its score, or null for an error. */
export type Skill = (config: JsonObject, position: number, child: Child & { target: number }) => Outcome;

interface Asked {
  cases?: number;
  models?: string[];
  /** Additional fields of the body. */
  [input: string]: unknown;
}

/** A private API without workers, and the workers' part in tunes. The test plays the models. */
export async function openTunes() {
  const api = await startApi();
  const redis = connectRedis(api.env.REDIS_URL, 'producer', pino({ level: 'silent' }));
  const stores = { pool: api.pool, redis };
  let teams = 0;
  return {
    pool: api.pool,
    async close(): Promise<void> {
      await redis.quit();
      await api.close();
    },
    /** A new team with a tune that is submitted and has not begun. */
    async aTune({ cases = 60, models = ['a'], ...input }: Asked) {
      const { token } = (await api.client.post('/api/teams', { name: `team ${teams++}` })).body;
      const client = clientOf(api.url, token.token);
      const provider = { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: models.map((id) => ({ id })) };
      await client.post('/api/providers', provider);
      const suiteId: string = await client.importSuite(weatherSuite(cases));
      const body = { suite_id: suiteId, models: models.map((id) => `sim::${id}`), ...input };
      const { status, body: submitted } = await client.post(ROUTE, body);
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(submitted)}`);
      return { suiteId, ...(await tuneOf(stores, client, submitted.tune_id)) };
    },
    /** An existing tune. */
    of: (client: Client, id: string) => tuneOf(stores, client, id),
  };
}

async function tuneOf(stores: Stores, client: Client, id: string) {
  const { rows } = await stores.pool.query<{ team_id: string }>('SELECT team_id FROM orchestration WHERE id = $1', [
    id,
  ]);
  const teamId = rows[0]!.team_id;
  const orchestration = orchestrationOf(stores, { teamId, id }, paramTune);
  const repliesOf =
    (skill: Skill): Replies =>
    async (child) => {
      const [target, arm] = child.arm.split('.').map(Number) as [number, number];
      const [found] = await orchestration.rows(
        `SELECT r.case_positions, a.config FROM run r, tune_arm a
         WHERE r.id = $1 AND a.tune_id = $2 AND a.target = $3 AND a.arm = $4`,
        [child.id, id, target, arm],
      );
      const config = JSON.parse(found.config) as JsonObject;
      const some = found.case_positions as number[];
      const positions = some.length > 0 ? some : Array.from({ length: child.cases }, (_, n) => n);
      return positions.map((position) => skill(config, position, { ...child, target }));
    };
  return {
    ...orchestration,
    client,
    id,
    teamId,
    reply: (skill: Skill) => orchestration.reply(repliesOf(skill)),
    async end(skill: Skill): Promise<ParamTune> {
      await orchestration.end(repliesOf(skill));
      return this.read();
    },
    read: async (): Promise<ParamTune> => (await client.get(`${ROUTE}/history/${id}`)).body,
    arms: async (): Promise<TuneArm[]> => (await client.get(`${ROUTE}/history/${id}/combos?limit=200`)).body.items,
  };
}
