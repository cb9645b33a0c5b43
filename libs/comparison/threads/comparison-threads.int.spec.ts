import { createPool, type Pool } from '#lib/db/connection/pool';
import { ComparableRunRepository } from '#lib/db/read/comparable-runs';
import { completedRun } from '#lib/db/testing/completed-run';
import { createTeam } from '#lib/db/testing/run-fixture';
import { newId } from '#lib/runtime/ids';
import { lockTable } from '../../../test/lock-table.js';
import { createDatabase } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { ComparisonThreads } from './comparison-threads.js';

let pool: Pool;
let threads: ComparisonThreads;
beforeAll(async () => {
  const { url } = await createDatabase();
  pool = createPool(url, 4);
  threads = new ComparisonThreads({ databaseUrl: url });
}, 60_000);
afterAll(() => Promise.all([threads.close(), pool.end()]));

/** The number of threads' statements that wait for a table lock. */
const waiting = async (): Promise<number> =>
  (
    await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND query LIKE '%scoring_version%'`,
    )
  ).rowCount!;

it('a cancelled comparison also ends in Postgres, and the next one is made', async () => {
  const team = await createTeam(pool, { cases: 6 });
  const [a, b] = [
    await completedRun(pool, team, { results: { a: Array(6).fill([0]) } }),
    await completedRun(pool, team, { results: { a: Array(6).fill([1]) } }),
  ];
  const request = { a, b, measure: 'overall', margin: 0.02, maxErroredShare: 0.5, partial: false };
  const compare = (signal?: AbortSignal) =>
    threads.run({ what: 'compare-in-short', teamId: team.teamId, request }, signal);
  const release = await lockTable(pool, 'result');
  const cancel = new AbortController();
  const cancelled = compare(cancel.signal);
  await until(waiting, { what: 'the comparison to wait for results' });
  cancel.abort(new Error('enough'));
  await expect(cancelled).rejects.toThrow('enough');
  await until(async () => (await waiting()) === 0, { what: 'Postgres to end the statement' });
  await release();
  expect(await compare()).toMatchObject({ all: { difference: 1, n_cases: 6 }, cases: { common: 6 }, scores: { b: 1 } });
});

it('a refusal keeps its status, and a team does not see runs of another team', async () => {
  const [team, other] = [await createTeam(pool, { cases: 6 }), await createTeam(pool)];
  const a = await completedRun(pool, team, { results: { a: Array(6).fill([0]) } });
  for (const [teamId, runId] of [
    [other.teamId, a],
    [team.teamId, newId()],
  ] as const)
    await expect(threads.run({ what: 'rank', teamId, runId })).rejects.toMatchObject({
      status: 404,
      message: `No run with id "${runId}" in this team.`,
    });
});

it('a snapshot outlives its computations, and its statements do not outlive their thread', async () => {
  const team = await createTeam(pool);
  const settings = await ComparableRunRepository.inSnapshot(pool, team.teamId, async ({ db }) => [
    (await db.query('SHOW idle_in_transaction_session_timeout')).rows[0],
    (await db.query('SHOW client_connection_check_interval')).rows[0],
    (await db.query('SHOW transaction_read_only')).rows[0],
  ]);
  expect(settings).toEqual([
    { idle_in_transaction_session_timeout: '2min' },
    { client_connection_check_interval: '1s' },
    { transaction_read_only: 'on' },
  ]);
});
