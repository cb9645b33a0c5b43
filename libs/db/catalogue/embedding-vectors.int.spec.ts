import { createTeam } from '../testing/run-fixture.js';
import { createDatabase } from '../../../test/services.js';
import { NO_ID } from '#lib/contracts/spending';
import { newId } from '#lib/runtime/ids';
import { findEmbeddings, storeEmbeddings } from './embedding-vectors.js';
import { createPool, type Pool } from '../connection/pool.js';
import { SettingsRepository } from './settings.js';
import { readSpentByToken } from './spending.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 2)));
afterAll(() => pool.end());

it('the cost of embeddings is counted with them, once per request, even if the commit was not confirmed', async () => {
  const teamId = newId();
  await pool.query('INSERT INTO team (id, name) VALUES ($1::uuid, $1::text)', [teamId]);
  const entries = (...texts: string[]) =>
    texts.map((text) => ({
      ...{ hash: Buffer.from(text), vector: Float32Array.of(0.6, 0.8) },
      ...{ askedBy: newId(), share: 1 / texts.length },
    }));
  const bill = (costUsd: number) => ({ providerKey: 'sim', modelId: 'embeds', tokens: 7, costUsd });
  const spent = async (): Promise<number> => (await new SettingsRepository(pool, teamId).readSpending()).spent_usd;

  await storeEmbeddings(pool, teamId, 'm', entries('a', 'b'), bill(2), false);
  expect(await spent()).toBe(2);
  // The first attempt succeeded, but the connection was lost before the response.
  await storeEmbeddings(pool, teamId, 'm', entries('a', 'b'), bill(2), true);
  expect(await spent()).toBe(2);
  await storeEmbeddings(pool, teamId, 'm', entries('c'), bill(1), true); // The first attempt failed.
  expect(await spent()).toBe(3);
  // Another process requested the same embedding and paid for it too.
  await storeEmbeddings(pool, teamId, 'm', entries('a'), bill(1), false);
  expect(await spent()).toBe(4);
  await storeEmbeddings(pool, teamId, 'm', entries('d'), bill(0), false);
  expect(await spent()).toBe(4);
  const { rows } = await pool.query(
    `SELECT provider_key, model_id, user_id, suite_id, sum(requests)::int AS requests, sum(results)::int AS results,
       sum(prompt_tokens)::int AS prompt_tokens, sum(cost_usd) AS cost_usd
     FROM daily_spending WHERE team_id = $1 GROUP BY 1, 2, 3, 4`,
    [teamId],
  );
  const ofNobody = { user_id: NO_ID, suite_id: NO_ID, provider_key: 'sim', model_id: 'embeds' };
  expect(rows).toEqual([{ ...ofNobody, requests: 4, results: 0, prompt_tokens: 28, cost_usd: 4 }]);
  expect([
    ...(
      await findEmbeddings(
        pool,
        teamId,
        'm',
        ['a', 'b', 'c', 'd', 'e'].map((text) => Buffer.from(text)),
      )
    ).values(),
  ]).toHaveLength(4);
});

it('tokens pay for the texts that their runs and rescores asked for first', async () => {
  const team = await createTeam(pool);
  const [ci, other] = [await team.cappedToken(10), await team.cappedToken(10)];
  const [capped, free] = [await team.submit({ tokenId: ci }), await team.submit()];
  const rescoreId = newId();
  await pool.query(
    `INSERT INTO rescore (id, team_id, run_id, job_id, options, scoring_version, token_id)
     VALUES ($1, $2, $3, $3, '{}', 1, $4)`,
    [rescoreId, team.teamId, free.runId, other],
  );
  const text = (askedBy: string, share: number) => ({
    ...{ hash: Buffer.from(newId()), vector: Float32Array.of(1), askedBy, share },
  });
  const texts = [text(capped.runId, 0.5), text(free.runId, 0.25), text(rescoreId, 0.25)];
  const bill = { providerKey: 'sim', modelId: 'embeds', tokens: 7, costUsd: 8 };
  for (const isRetry of [false, true]) await storeEmbeddings(pool, team.teamId, 'm', texts, bill, isRetry);
  expect([await readSpentByToken(pool, ci), await readSpentByToken(pool, other)]).toEqual([4, 2]);
});
