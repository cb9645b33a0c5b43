import { someoneWaits } from '../../../test/lock-wait.js';
import { createDatabase } from '../../../test/services.js';
import { newId } from '#lib/runtime/ids';
import { NO_KEY_REFS } from '#lib/runtime/key-refs';
import { Sealer } from '#lib/runtime/seal';
import { insertRow } from '../connection/insert-row.js';
import { createPool, inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { SettingsRepository } from '../catalogue/settings.js';
import { deleteRun } from '../upkeep/delete-run.js';
import { hideParents } from '../upkeep/hide-parents.js';
import { createParent } from '../testing/parent-fixture.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { cancelJob } from './cancel-job.js';
import { claimItems, releaseItems, renewLeases } from './claim-items.js';
import { dispatchLane, type LeveledDelivery } from './dispatch-lane.js';
import { deleteExperiment } from './experiments.js';
import { extendRun } from './extend-run.js';
import { lockUser } from './lock-user.js';
import { submitOrchestration } from './orchestrations.js';
import { pinSuiteVersion } from './pin-suite-version.js';
import { ProviderChanges } from './provider-changes.js';
import { reconcileLane } from './reconcile-lane.js';
import { settleItems } from './settle-items.js';
import { storeLabels } from '#lib/judge/rows/store-labels';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 10)));
afterAll(() => pool.end());

/** Rows as SQL, and their parameters. */
type Rows = [from: string, ...values: unknown[]];
const lock = ([from, ...values]: Rows, how = 'FOR UPDATE') => [`SELECT 1 FROM ${from} ${how}`, values] as const;

/** Locks `first`, or runs it, until `act` waits for it, and expects that `act` has not locked `later` by then. */
async function expectOrder(
  first: Rows | ((client: PoolClient) => Promise<unknown>),
  later: Rows,
  act: () => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await (typeof first === 'function' ? first(client) : client.query(...lock(first)));
    const acting = act();
    await someoneWaits(pool);
    const { rowCount } = await client.query(...lock(later, 'FOR UPDATE NOWAIT'));
    expect(rowCount).toBeGreaterThan(0);
    await client.query('COMMIT');
    await acting;
  } finally {
    client.release(true);
  }
}

const secrets = {
  sealer: new Sealer(['ab'.repeat(32)], { fingerprintKey: 'ab'.repeat(32) }),
  keyRefs: NO_KEY_REFS,
};
const target = (runId: string): Rows => ['target WHERE run_id = $1', runId];
const run = (id: string): Rows => ['run WHERE id = $1', id];
const job = (id: string): Rows => ['job WHERE id = $1', id];
const item = ({ runId, item: number }: LeveledDelivery): Rows => [
  'in_flight WHERE run_id = $1 AND item = $2',
  runId,
  number,
];

/** A run whose items a worker holds, stored from last to first, the order in which they are returned. */
async function itemsOf(worker: string) {
  const team = await createTeam(pool);
  const { runId, jobId } = await team.submit();
  const deliveries = (await dispatchLane(pool, team.laneId, 100)).reverse();
  await claimItems(pool, worker, deliveries);
  for (const { item: number } of deliveries)
    await pool.query('UPDATE in_flight SET begun = true WHERE run_id = $1 AND item = $2', [runId, number]);
  return { ...team, runId, jobId, deliveries };
}
type Items = Awaited<ReturnType<typeof itemsOf>>;
const noneMissing = async (): Promise<LeveledDelivery[]> => [];

it.each<[string, (of: Items) => Promise<unknown>]>([
  ['a cancel', ({ teamId, jobId }) => cancelJob(pool, { teamId, jobId })],
  [
    'settling',
    ({ deliveries }) =>
      settleItems(
        pool,
        deliveries.map((one) => settlementOf(one)),
      ),
  ],
  [
    'a heartbeat',
    ({ deliveries }) =>
      renewLeases(
        pool,
        'w',
        deliveries.map((one) => ({ ...one, begun: true })),
      ),
  ],
  ['returning items', ({ deliveries }) => releaseItems(pool, 'w', deliveries)],
  [
    'the reconciler, of leases that ran out',
    async ({ laneId, runId }) => {
      await pool.query(`UPDATE in_flight SET lease_until = now() - interval '1 s' WHERE run_id = $1 AND item > 0`, [
        runId,
      ]);
      return reconcileLane(pool, laneId, 'w', true, noneMissing);
    },
  ],
  [
    'the reconciler, of runs that were stopped',
    async ({ laneId, runId }) => {
      await pool.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [runId]);
      return reconcileLane(pool, laneId, 'w', true, noneMissing);
    },
  ],
])('%s locks items in flight in their order', async (_what, act) => {
  const items = await itemsOf('w');
  const [last, first] = [items.deliveries[0]!, items.deliveries.at(-1)!];
  await pool.query(`UPDATE in_flight SET lease_until = now() - interval '1 s' WHERE run_id = $1`, [items.runId]);
  await expectOrder(item(first), item(last), () => act(items));
});

it('a claim does not wait for items that another worker holds, and skipped ones are delivered again', async () => {
  const team = await createTeam(pool);
  await team.submit();
  const deliveries = await dispatchLane(pool, team.laneId, 100);
  const [held, ...others] = deliveries as [LeveledDelivery, ...LeveledDelivery[]];
  await inTransaction(pool, async (client) => {
    await client.query(...lock(item(held)));
    expect((await claimItems(pool, 'w', deliveries)).map(({ token }) => token).sort()).toEqual(
      others.map(({ token }) => token).sort(),
    );
  });
  await pool.query(`UPDATE in_flight SET queued_at = now() - interval '3 s' WHERE token = $1`, [held.token]);
  const { redeliver } = await reconcileLane(pool, team.laneId, 'w', true, async (unclaimed) => unclaimed);
  expect(redeliver).toMatchObject([{ runId: held.runId, item: held.item }]);
  expect(await claimItems(pool, 'w', redeliver)).toHaveLength(1);
});

it('results can be labelled while a job of the user starts or ends, which locks the user and the run', async () => {
  const { teamId, userId, runId, deliveries } = await itemsOf('w');
  await settleItems(pool, [settlementOf(deliveries[0]!)]);
  const given = [{ target: 0, case_position: deliveries[0]!.item, sample: 0, label: 'correct' as const, note: null }];
  await inTransaction(pool, async (client) => {
    await lockUser(client, userId);
    await client.query(...lock(run(runId), 'FOR NO KEY UPDATE'));
    await inTransaction(pool, (other) => storeLabels(other, { teamId, userId, runId }, given));
  });
  expect((await pool.query('SELECT 1 FROM label WHERE run_id = $1', [runId])).rowCount).toBe(1);
});

describe('a cancel', () => {
  it('locks targets, then runs, then jobs', async () => {
    const { teamId, runId, jobId } = await itemsOf('w');
    await expectOrder(target(runId), run(runId), () => cancelJob(pool, { teamId, jobId }));
    const other = await itemsOf('w');
    await expectOrder(run(other.runId), job(other.jobId), () =>
      cancelJob(pool, { teamId: other.teamId, jobId: other.jobId }),
    );
  });

  it('that starts the next job locks its targets before its run and the job', async () => {
    const team = await createTeam(pool, { runningJobs: 1 });
    const [one, next, last] = [await team.submit(), await team.submit(), await team.submit()];
    await expectOrder(target(next.runId), job(next.jobId), () =>
      cancelJob(pool, { teamId: team.teamId, jobId: one.jobId }),
    );
    await expectOrder(target(last.runId), run(last.runId), () =>
      cancelJob(pool, { teamId: team.teamId, jobId: next.jobId }),
    );
  });
});

describe('deleting a run', () => {
  /** A cancelled run, and another user of its team. */
  async function aRunToDelete() {
    const team = await createTeam(pool);
    const { runId, jobId } = await team.submit();
    await cancelJob(pool, { teamId: team.teamId, jobId });
    const { teamId } = team;
    const other = await team.anotherUser();
    return {
      ...{ ...team, runId, other },
      extend: (db: Pool | PoolClient = pool) =>
        extendRun(db, { teamId, userId: other, tokenId: null, runId, samples: 1 }),
      remove: () => deleteRun(pool, { teamId, runId }),
    };
  }

  it('locks the owners of the run and of the samples that were added to it, then targets, then runs', async () => {
    const { userId, other, runId, extend, remove } = await aRunToDelete();
    const added = await extend();
    for (const id of [userId, other]) await expectOrder(['users WHERE id = $1', id], target(added.runId), remove);
    await expectOrder(target(added.runId), run(runId), remove);
  });

  it('leaves no samples behind that another user adds meanwhile', async () => {
    const { runId, extend, remove } = await aRunToDelete();
    const { removed, added } = await inTransaction(pool, async (client) => {
      const { runId: id } = await extend(client);
      const removing = remove();
      await someoneWaits(pool);
      return { removed: [removing], added: id };
    });
    expect(await Promise.all(removed)).toEqual(['unfinished']);
    const { rows } = await pool.query('SELECT id FROM run WHERE id = ANY ($1) ORDER BY id', [[runId, added]]);
    expect(rows).toEqual([{ id: runId }, { id: added }]);
  });
});

it('samples that two users add to a run concurrently have distinct numbers', async () => {
  const { teamId, userId, submit, anotherUser } = await createTeam(pool);
  const { runId, jobId } = await submit();
  await cancelJob(pool, { teamId, jobId });
  const other = await anotherUser();
  const adding = await inTransaction(pool, async (client) => {
    await extendRun(client, { teamId, userId: other, tokenId: null, runId, samples: 2 });
    const second = extendRun(pool, { teamId, userId, tokenId: null, runId, samples: 1 });
    await someoneWaits(pool);
    return [second];
  });
  await Promise.all(adding);
  const { rows } = await pool.query('SELECT first_sample AS n FROM run WHERE extends_run_id = $1 ORDER BY n', [runId]);
  expect(rows).toEqual([{ n: 1 }, { n: 3 }]);
});

it('a step creates the version of its suite before it locks the user', async () => {
  const { teamId, userId, suiteId, commit, child } = await createParent(pool);
  const pin = (client: PoolClient) => pinSuiteVersion(client, teamId, suiteId);
  await expectOrder(pin, ['users WHERE id = $1', userId], () => commit({ children: [child('a')] }));
});

it('deleting parents locks their remaining runs in the order of ids', async () => {
  const team = await createTeam(pool);
  const { id } = await submitOrchestration(pool, {
    ...{ teamId: team.teamId, userId: team.userId, tokenId: null, type: 'gate', step: 'a', input: {} },
    ...{ total: 0, maxRequests: null, maxCostUsd: null },
  });
  const [one, next] = [await team.submit(), await team.submit()];
  // Stored, and in the index, from last to first.
  for (const { runId, step } of [
    { ...next, step: 'a' },
    { ...one, step: 'b' },
  ])
    await pool.query('UPDATE run SET orchestration_id = $2, step = $3, arm = $3 WHERE id = $1', [runId, id, step]);
  await expectOrder(run(one.runId), run(next.runId), () => inTransaction(pool, (client) => hideParents(client, [id])));
});

it('deleting an experiment locks its gate runs and tunes before its runs', async () => {
  const { teamId, userId, submit } = await createTeam(pool);
  const experimentId = newId();
  const { runId } = await submit();
  await insertRow(pool, 'experiment', { id: experimentId, team_id: teamId, name: 'x', suite_id: newId() });
  await pool.query('UPDATE run SET experiment_id = $2 WHERE id = $1', [runId, experimentId]);
  const { id } = await submitOrchestration(pool, {
    ...{ teamId, userId, tokenId: null, experimentId, type: 'gate', step: 'a', input: {} },
    ...{ total: 0, maxRequests: null, maxCostUsd: null },
  });
  await expectOrder(['orchestration WHERE id = $1', id], run(runId), () =>
    inTransaction(pool, (client) => deleteExperiment(client, teamId, experimentId)),
  );
});

describe('a change of a provider', () => {
  const changed = ({ teamId }: { teamId: string }) =>
    new ProviderChanges(pool, teamId, secrets).update('sim', {
      api_key: 'sk-other-0123456789',
      limits: { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 3 },
    });

  it('locks the users of the team before the provider, and targets before lanes', async () => {
    const one = await itemsOf('w');
    await expectOrder(['users WHERE id = $1', one.userId], ['provider WHERE team_id = $1', one.teamId], () =>
      changed(one),
    );
    const other = await itemsOf('w');
    await expectOrder(target(other.runId), ['lane WHERE id = $1', other.laneId], () => changed(other));
  });

  it('is locked before its embedding model', async () => {
    const { teamId } = await createTeam(pool);
    const settings = new SettingsRepository(pool, teamId);
    await pool.query(
      `INSERT INTO model (id, provider_id, position, model_id, name)
       SELECT gen_random_uuid(), id, 0, 'e', 'e' FROM provider WHERE team_id = $1`,
      [teamId],
    );
    const choose = () => settings.setEmbedding({ provider_key: 'sim', model_id: 'e' });
    await choose();
    await expectOrder(['provider WHERE team_id = $1', teamId], ['embedding_model WHERE team_id = $1', teamId], choose);
  });
});
