import { newId } from '#lib/runtime/ids';
import { createDatabase } from '../../../test/services.js';
import { cancelJob } from '../engine/cancel-job.js';
import { deleteRun } from './delete-run.js';
import { dispatchLane } from '../engine/dispatch-lane.js';
import { findEmbeddings, storeEmbeddings } from '../catalogue/embedding-vectors.js';
import { removeUnusedEmbeddings } from './unused-embeddings.js';
import { removeUnusedLanes } from './unused-lanes.js';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { removeUnusedVersions } from './suite-versions.js';
import { createTeam } from '../testing/run-fixture.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 5)));
afterAll(() => pool.end());

const count = async (text: string, values: unknown[] = []): Promise<number> =>
  (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${text}`, values)).rows[0]!.n;

describe('a version of a suite', () => {
  const versions = (suiteId: string) => count('suite_version WHERE suite_id = $1', [suiteId]);
  const cases = () => count('suite_version_case');
  async function remove(teamId: string, { jobId, runId }: { jobId: string; runId: string }): Promise<void> {
    await cancelJob(pool, { teamId, jobId });
    expect(await deleteRun(pool, { teamId, runId })).toBeInstanceOf(Object);
  }

  it('is kept while a run pins it, then removed in batches; a concurrent run creates a new one', async () => {
    const { teamId, suiteId, submit } = await createTeam(pool, { cases: 4 });
    const [one, two] = [await submit(), await submit()];
    await remove(teamId, one);
    expect(await removeUnusedVersions(pool, 3)).toBe(false);
    expect([await versions(suiteId), await cases()]).toEqual([1, 4]);
    await remove(teamId, two);
    expect(await removeUnusedVersions(pool, 3)).toBe(true);
    expect([await versions(suiteId), await cases()]).toEqual([0, 1]);
    const three = await submit();
    expect([await versions(suiteId), await cases()]).toEqual([1, 5]);
    expect([await removeUnusedVersions(pool, 3), await removeUnusedVersions(pool, 3)]).toEqual([true, false]);
    expect([await count('suite_version'), await cases()]).toEqual([1, 4]);
    await remove(teamId, three);
    while (await removeUnusedVersions(pool, 3));
    expect([await count('suite_version'), await cases()]).toEqual([0, 0]);
    expect(await count(`audit WHERE subject = $1 AND action = 'suite.drop-versions'`, [suiteId])).toBe(2);
  });

  it('that is about to be pinned is kept', async () => {
    const team = await createTeam(pool);
    await remove(team.teamId, await team.submit());
    const submitted = await inTransaction(pool, async (client) => {
      const made = await team.submit({}, client);
      expect(await removeUnusedVersions(pool)).toBe(false);
      return made;
    });
    expect(
      await count(
        'run r JOIN suite_version v ON v.id = r.suite_version_id JOIN suite_version_case c ON ' +
          'c.version_id = v.id WHERE r.id = $1',
        [submitted.runId],
      ),
    ).toBe(4);
  });
});

describe('a lane', () => {
  it('is removed with its user rows when no provider uses it and it has no work', async () => {
    const [used, busy, unused] = [await createTeam(pool), await createTeam(pool), await createTeam(pool)];
    for (const team of [busy, unused]) {
      const { runId, jobId } = await team.submit();
      await dispatchLane(pool, team.laneId, 100);
      await pool.query('DELETE FROM provider WHERE lane_id = $1', [team.laneId]);
      if (team === busy) continue;
      await cancelJob(pool, { teamId: team.teamId, jobId });
      await removeUnusedLanes(pool);
      // A resume may need it until the target is finished.
      expect(await count('lane WHERE id = $1', [team.laneId])).toBe(1);
      await pool.query('UPDATE target SET finished_at = now() WHERE run_id = $1', [runId]);
    }
    await removeUnusedLanes(pool);
    const left = (table: string, column: string) =>
      pool.query(`SELECT ${column} AS id FROM ${table} WHERE ${column} = ANY ($1)`, [
        [used, busy, unused].map(({ laneId }) => laneId),
      ]);
    expect((await left('lane', 'id')).rows.map(({ id }) => id).sort()).toEqual([used.laneId, busy.laneId].sort());
    expect((await left('lane_user', 'lane_id')).rows).toEqual([{ id: busy.laneId }]);
  });

  it('that is used again at the same moment is kept', async () => {
    const { laneId } = await createTeam(pool);
    await pool.query('DELETE FROM provider WHERE lane_id = $1', [laneId]);
    const taking = await pool.connect();
    await taking.query('BEGIN');
    await taking.query('UPDATE lane SET name = name WHERE id = $1', [laneId]);
    await removeUnusedLanes(pool);
    await taking.query('COMMIT');
    taking.release();
    expect(await count('lane WHERE id = $1', [laneId])).toBe(1);
    await removeUnusedLanes(pool);
    expect(await count('lane WHERE id = $1', [laneId])).toBe(0);
  });
});

it('vectors of an embedding model are removed in batches, a week after their team chose another model', async () => {
  const { teamId } = await createTeam(pool);
  const provider = (await pool.query<{ id: string }>('SELECT id FROM provider WHERE team_id = $1', [teamId])).rows[0]!
    .id;
  const hashes = ['a', 'b', 'c'].map((text) => Buffer.from(text));
  const keep = (model: string) =>
    storeEmbeddings(
      pool,
      teamId,
      `${provider} ${model}`,
      hashes.map((hash) => ({ hash, vector: Float32Array.of(1), askedBy: newId(), share: 1 / 3 })),
      { providerKey: 'sim', modelId: model, tokens: 0, costUsd: 0 },
      false,
    );
  const kept = async (model: string): Promise<number> =>
    (await findEmbeddings(pool, teamId, `${provider} ${model}`, hashes)).size;
  const take = (model: string) =>
    pool.query(
      `INSERT INTO embedding_model (team_id, provider_id, model_id) VALUES ($1, $2, $3)
        ON CONFLICT (team_id) DO UPDATE SET model_id = excluded.model_id`,
      [teamId, provider, model],
    );
  await take('old');
  await Promise.all([keep('old'), keep('new')]);
  await take('new');
  expect(await removeUnusedEmbeddings(pool)).toBe(false);
  expect([await kept('old'), await kept('new')]).toEqual([3, 3]);
  await pool.query(`UPDATE team SET embedding_changed_at = embedding_changed_at - interval '8 days' WHERE id = $1`, [
    teamId,
  ]);
  expect([await removeUnusedEmbeddings(pool, 2), await kept('old')]).toEqual([true, 1]);
  expect([await removeUnusedEmbeddings(pool, 2), await removeUnusedEmbeddings(pool, 2)]).toEqual([true, false]);
  expect([await kept('old'), await kept('new')]).toEqual([0, 3]);
  // All embeddings of a team that no longer compares semantically.
  await pool.query('DELETE FROM embedding_model WHERE team_id = $1', [teamId]);
  await pool.query(`UPDATE team SET embedding_changed_at = embedding_changed_at - interval '8 days' WHERE id = $1`, [
    teamId,
  ]);
  while (await removeUnusedEmbeddings(pool));
  expect(await kept('new')).toBe(0);
});
