import { createDatabase } from '../../../test/services.js';
import { claimItems } from './claim-items.js';
import { cancelJob } from './cancel-job.js';
import { dispatchLane } from './dispatch-lane.js';
import { removeUnusedLanes } from '../upkeep/unused-lanes.js';
import { findExchanges } from '../read/for-workers/exchanges.js';
import { loadConnections } from '../read/for-workers/connections.js';
import { loadRun } from '../read/for-workers/load-run.js';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { ProviderChanges } from './provider-changes.js';
import { NO_KEY_REFS } from '#lib/runtime/key-refs';
import { Sealer } from '#lib/runtime/seal';
import { beginRecording, finishRecording, abandonRecording, storeRecordedReplies } from './record-run.js';
import { resumeRun } from './resume-run.js';
import { settleItems } from './settle-items.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 5)));
afterAll(() => pool.end());

const one = async (text: string, values: unknown[] = []): Promise<any> => (await pool.query(text, values)).rows[0];
const REPLY = Buffer.from('a reply');

/** A recorded run of all four cases of a team, right after its last reply arrived. */
async function recorded(team: Awaited<ReturnType<typeof createTeam>>) {
  const { teamId, userId, suiteId } = team;
  const recording = await beginRecording(pool, teamId, suiteId);
  await storeRecordedReplies(
    pool,
    recording,
    [0, 1, 2, 3].map((casePosition) => ({ casePosition, sample: 0, exchange: REPLY })),
  );
  const made = await inTransaction(pool, (client) =>
    finishRecording(client, recording, {
      teamId,
      userId,
      tokenId: null,
      name: 'a',
      positions: [0, 1, 2, 3],
      config: { recorded: true, samples: 1, metrics: [], params: {} } as never,
      experimentId: null,
      warnings: [],
    }),
  );
  return { ...made, runId: recording.runId };
}

it('makes no request, neither in this release nor in the previous one', async () => {
  const { runId, jobId } = await recorded(await createTeam(pool));
  const {
    targets: [target],
  } = (await loadRun(pool, runId))!;
  // The previous release only looks for stored replies in resumed runs, so a recorded run starts at generation 2. Its
  // target has no connection to a provider, so no request can be made.
  expect(
    await one(
      'SELECT r.generation AS run, j.generation AS job FROM run r JOIN job j ON j.id = r.job_id WHERE j.id = $1',
      [jobId],
    ),
  ).toEqual({ run: 2, job: 2 });
  expect(await findExchanges(pool, runId, [{ target: 0, casePosition: 3, sample: 0 }])).toEqual([REPLY]);
  expect([target!.recorded, await loadConnections(pool, [target!])]).toEqual([true, []]);
});

it('has a lane of its own, which is recreated for a resume', async () => {
  const team = await createTeam(pool);
  const { runId, jobId, laneId } = await recorded(team);
  expect((await recorded(team)).laneId).toBe(laneId);
  expect(laneId).not.toBe(team.laneId);
  await removeUnusedLanes(pool);
  expect(await one('SELECT name, requests_per_minute, tokens_per_minute FROM lane WHERE id = $1', [laneId])).toEqual({
    name: 'recorded',
    requests_per_minute: null,
    tokens_per_minute: null,
  });
  await cancelJob(pool, { teamId: team.teamId, jobId });
  await pool.query('UPDATE target SET finished_at = now() WHERE lane_id = $1', [laneId]);
  await removeUnusedLanes(pool);
  expect(await one('SELECT 1 FROM lane WHERE id = $1', [laneId])).toBeUndefined();
  const { lanes } = await resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId });
  expect(
    await one('SELECT id, name, fingerprint FROM lane WHERE id = (SELECT lane_id FROM target WHERE run_id = $1)', [
      runId,
    ]),
  ).toEqual({ id: lanes[0], name: 'recorded', fingerprint: 'recorded' });
  expect(await dispatchLane(pool, lanes[0]!, 10)).toHaveLength(4);
});

it('keeps the reply of an item that ended without a score', async () => {
  const { laneId, runId } = await recorded(await createTeam(pool));
  const deliveries = await dispatchLane(pool, laneId, 10);
  await claimItems(pool, 'w', deliveries);
  await settleItems(
    pool,
    deliveries.map((delivery) => ({ ...settlementOf(delivery, 'errored'), exchange: Buffer.alloc(0) })),
  );
  expect(await one('SELECT settled, errored FROM target WHERE run_id = $1', [runId])).toEqual({
    settled: 4,
    errored: 4,
  });
  expect(await findExchanges(pool, runId, [{ target: 0, casePosition: 2, sample: 0 }])).toEqual([REPLY]);
});

it('is independent of a provider with the same key from before the key was reserved', async () => {
  const team = await createTeam(pool);
  await pool.query(`UPDATE provider SET key = 'recorded' WHERE team_id = $1`, [team.teamId]);
  const { runId } = await recorded(team);
  expect(
    await new ProviderChanges(pool, team.teamId, {
      sealer: new Sealer(['ab'.repeat(32)]),
      keyRefs: NO_KEY_REFS,
    }).delete('recorded'),
  ).toHaveProperty('before.name', 'Sim');
  expect(await one('SELECT status FROM run WHERE id = $1', [runId])).toEqual({ status: 'queued' });
});

it('waits for its turn like any job of its user', async () => {
  const team = await createTeam(pool, { runningJobs: 1 });
  await team.submit();
  const { runId, laneId } = await recorded(team);
  expect(
    await one(
      'SELECT r.status, t.active_for IS NOT NULL AS active FROM run r JOIN target t ON t.run_id = r.id WHERE r.id = $1',
      [runId],
    ),
  ).toEqual({ status: 'pending', active: false });
  expect(await dispatchLane(pool, laneId, 10)).toEqual([]);
});

it('that is abandoned while it finishes is either abandoned or finished, never both', async () => {
  const { teamId, userId, suiteId } = await createTeam(pool);
  const recording = await beginRecording(pool, teamId, suiteId);
  await abandonRecording(pool, recording);
  const finish = inTransaction(pool, (client) =>
    finishRecording(client, recording, {
      teamId,
      userId,
      tokenId: null,
      name: 'a',
      positions: [0],
      config: { samples: 1 } as never,
      experimentId: null,
      warnings: [],
    }),
  );
  await expect(finish).rejects.toMatchObject({ status: 409 });
  expect(
    await one(
      `SELECT (SELECT count(*)::int FROM run WHERE id = $1) AS runs, (SELECT count(*)::int FROM purge
        WHERE run_id = $1) AS purges`,
      [recording.runId],
    ),
  ).toEqual({ runs: 0, purges: 1 });
});
