import pg from 'pg';
import { ProviderPatch } from '#lib/contracts/provider';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import type { KeyRefs } from '#lib/runtime/key-refs';
import { Sealer } from '#lib/runtime/seal';
import { createDatabase } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { cancelJob } from './cancel-job.js';
import { claimItems } from './claim-items.js';
import { LANE_OF_ITEM } from '../lane-of-item.js';
import { dispatchLane, type LeveledDelivery } from './dispatch-lane.js';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { ProviderChanges } from './provider-changes.js';
import { reconcileLane } from './reconcile-lane.js';
import { resumeRun } from './resume-run.js';
import { settleItems } from './settle-items.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';

let url: string;
let pool: Pool;
beforeAll(async () => {
  ({ url } = await createDatabase());
  pool = createPool(url, 5);
});
afterAll(() => pool.end());

const secrets = {
  sealer: new Sealer(['ab'.repeat(32)], { fingerprintKey: 'ab'.repeat(32) }),
  keyRefs: { find: () => 'sk-kept-elsewhere' } satisfies KeyRefs,
};
const patchSim = async (teamId: string, patch: object) =>
  (await new ProviderChanges(pool, teamId, secrets).update('sim', ProviderPatch.parse(patch)))!.moved;
const move = (teamId: string, port: number) => patchSim(teamId, { base_url: `http://127.0.0.1:${port}/v1` });
const lanesOf = async (table: 'target' | 'in_flight', runId: string): Promise<string[]> => {
  const lane = table === 'target' ? 'lane_id' : LANE_OF_ITEM;
  const { rows } = await pool.query<{ lane: string }>(
    `SELECT DISTINCT ${lane} AS lane FROM ${table} i WHERE run_id = $1`,
    [runId],
  );
  return rows.map((row) => row.lane);
};

it('a provider that moves takes its items along: queued ones with new tokens, claimed ones unchanged', async () => {
  const team = await createTeam(pool);
  const { runId, jobId } = await team.submit();
  const deliveries = await dispatchLane(pool, team.laneId, 3);
  const [claimed, ...queued] = deliveries as [LeveledDelivery, ...LeveledDelivery[]];
  expect(await claimItems(pool, 'w', [claimed])).toHaveLength(1);
  await pool.query(`UPDATE job SET detail = 'Waiting for sim since then: it refuses connections' WHERE id = $1`, [
    jobId,
  ]);

  const {
    lanes: [laneId],
    jobs,
  } = (await move(team.teamId, 2)) as { lanes: [string]; jobs: string[] };
  expect([laneId === team.laneId, jobs]).toEqual([false, [jobId]]);
  expect([await lanesOf('target', runId), await lanesOf('in_flight', runId)]).toEqual([[laneId], [laneId]]);
  expect((await pool.query('SELECT detail FROM job WHERE id = $1', [jobId])).rows).toEqual([{ detail: null }]);
  // Claims of what the old lane's queue still delivers fail. The reconciler queues it in the new lane.
  expect(await claimItems(pool, 'w', queued)).toEqual([]);
  expect(await dispatchLane(pool, team.laneId, 10)).toEqual([]);
  const { redeliver } = await reconcileLane(pool, laneId, 'w', true, async (all) => all);
  expect(redeliver.map(({ item }) => item).sort()).toEqual(queued.map(({ item }) => item).sort());
  expect(await claimItems(pool, 'w', redeliver)).toHaveLength(2);
  const rest = await dispatchLane(pool, laneId, 10);
  expect(await claimItems(pool, 'w', rest)).toHaveLength(1);
  expect(
    (
      await settleItems(
        pool,
        [claimed, ...redeliver, ...rest].map((delivery) => settlementOf(delivery)),
      )
    ).stored,
  ).toEqual([true, true, true, true]);
});

it('a suspect that waits for its turn is requeued; one with a request in flight is not touched', async () => {
  const team = await createTeam(pool);
  await team.submit();
  const [waits, asked] = (await dispatchLane(pool, team.laneId, 2)) as [LeveledDelivery, LeveledDelivery];
  await claimItems(pool, 'w', [waits, asked]);
  await pool.query('UPDATE in_flight SET crashes = 2, begun = token = $1 WHERE token = ANY ($2)', [
    asked.token,
    [waits.token, asked.token],
  ]);
  await move(team.teamId, 3);
  const { rows } = await pool.query('SELECT item, worker, token = ANY ($1) AS same FROM in_flight ORDER BY item', [
    [waits.token, asked.token],
  ]);
  expect(rows).toEqual([
    { item: waits.item, worker: null, same: false },
    { item: asked.item, worker: 'w', same: true },
  ]);
});

it('runs that have ended stay in their lanes, and so do runs of models with limits of their own', async () => {
  const team = await createTeam(pool);
  const patch = (more: object) => patchSim(team.teamId, more);
  await patch({ models: [{ id: 'a' }, { id: 'own', limits: { max_concurrency: 1 } }] });
  const ended = await team.submit({ models: ['a'] });
  await pool.query('UPDATE target SET finished_at = now() WHERE run_id = $1', [ended.runId]);
  const { runId } = await team.submit({ models: ['a', 'own'] });
  const lane = async (model: string): Promise<string> =>
    (
      await pool.query<{ lane_id: string }>('SELECT lane_id FROM target WHERE run_id = $1 AND model_id = $2', [
        runId,
        model,
      ])
    ).rows[0]!.lane_id;
  const own = await lane('own');
  const {
    lanes: [moved],
  } = await move(team.teamId, 4);
  expect([await lane('a'), await lane('own'), await lanesOf('target', ended.runId)]).toEqual([
    moved,
    own,
    [team.laneId],
  ]);
  // A model whose own limits were removed uses its provider's lane again.
  await patch({ models: [{ id: 'a' }, { id: 'own' }] });
  expect(await lane('own')).toBe(moved);
});

it('a run that is submitted while its provider is changed goes to the new lane of the provider', async () => {
  const team = await createTeam(pool);
  let moving: ReturnType<typeof move> | undefined;
  const { runId } = await inTransaction(pool, async (client) => {
    const submitted = await team.submit({}, client);
    moving = move(team.teamId, 5);
    await until(
      async () =>
        (
          await pool.query(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM users%team_id%'`,
          )
        ).rowCount === 1,
      { what: 'the change to wait' },
    );
    return submitted;
  });
  const { lanes } = await moving!;
  expect(await lanesOf('target', runId)).toEqual(lanes);
  expect(await new ProviderChanges(pool, team.teamId, secrets).delete('sim')).toBe('in-use');
});

it('a resumed run goes to the current lane of its provider', async () => {
  const team = await createTeam(pool);
  const { runId, jobId } = await team.submit();
  await cancelJob(pool, { teamId: team.teamId, jobId });
  await pool.query('UPDATE target SET finished_at = now() WHERE run_id = $1', [runId]);
  await move(team.teamId, 6);
  const { lanes } = await resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId });
  expect(lanes).toEqual(
    (await pool.query<{ lane_id: string }>('SELECT lane_id FROM provider WHERE team_id = $1', [team.teamId])).rows.map(
      ({ lane_id }) => lane_id,
    ),
  );
  expect([await lanesOf('target', runId), lanes[0] === team.laneId]).toEqual([lanes, false]);
});

describe('a provider with headers or a reference', () => {
  const HEADERS = { headers: [{ name: 'X-Team', value: 'blue' }] };
  const levels = async (runId: string) =>
    (
      await pool.query<{ run: number; target: number; items: number[] }>(
        `SELECT r.worker_level AS run, max(t.active_for) AS target,
           (SELECT array_agg(DISTINCT worker_level) FROM in_flight WHERE run_id = r.id) AS items
         FROM run r JOIN target t ON t.run_id = r.id WHERE r.id = $1 GROUP BY r.id`,
        [runId],
      )
    ).rows[0];

  it('is asked by workers that know of them, also in runs that wait for it', async () => {
    const team = await createTeam(pool);
    const { runId: before } = await team.submit();
    await dispatchLane(pool, team.laneId, 2);
    const below = { run: SUBMIT_LEVEL, target: SUBMIT_LEVEL, items: [SUBMIT_LEVEL] };
    expect(await levels(before)).toEqual(below);
    await patchSim(team.teamId, { limits: { max_concurrency: 9 } });
    expect(await levels(before)).toEqual(below);
    await patchSim(team.teamId, HEADERS);
    expect(await levels(before)).toEqual({ run: 8, target: 8, items: [8] });
    const { runId: after } = await team.submit();
    expect(await levels(after)).toMatchObject({ run: 8 });
    await patchSim(team.teamId, { headers: [] });
    const { runId: without } = await team.submit();
    expect(await levels(without)).toMatchObject({ run: SUBMIT_LEVEL });
  });

  it.each([
    ['headers', HEADERS],
    ['a key by reference', { api_key_ref: 'env:MINE' }],
  ])('with %s it is not moved by an API that does not know of them', async (_what, patch) => {
    const team = await createTeam(pool);
    await patchSim(team.teamId, patch);
    const move = `UPDATE provider SET base_url = 'https://evil.example/v1' WHERE team_id = $1`;
    const old = new pg.Client({ connectionString: url });
    await old.connect();
    await expect(old.query(move, [team.teamId])).rejects.toThrow(/is changed by a later release/);
    const { rows } = await old.query(
      `UPDATE provider SET sealed_key = 'v1.another' WHERE team_id = $1 RETURNING api_key_ref`,
      [team.teamId],
    );
    expect(rows).toEqual([{ api_key_ref: null }]);
    await old.end();
    expect((await pool.query(move, [team.teamId])).rowCount).toBe(1);
  });
});
