import { createDatabase } from '../../../test/services.js';
import { createPool, type Pool } from '../connection/pool.js';
import { createTeam } from '../testing/run-fixture.js';
import { settleRun } from '../testing/settled-run.js';
import { cancelJob } from './cancel-job.js';
import { finishRun, finishTarget, runsToFinish, targetsToFinish } from './finish-run.js';
import { resumeRun } from './resume-run.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 5)));
afterAll(() => pool.end());

const summary = { target: 'sim::a', overall: null } as never;
async function finishAll(): Promise<void> {
  for (const target of await targetsToFinish(pool)) await finishTarget(pool, target, summary);
  for (const run of await runsToFinish(pool)) await finishRun(pool, run);
}

interface Plan {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
/** How many runs the statement that finds runs to finish reads, and by which index. */
async function runsRead(): Promise<{ index: string | undefined; rows: number }> {
  let plan: Plan | undefined;
  await runsToFinish({
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      plan = rows[0]['QUERY PLAN'][0].Plan;
      return { rows: [] };
    },
  } as unknown as Pool);
  const scans = (node: Plan): Plan[] => [node, ...(node.Plans ?? []).flatMap(scans)];
  const scan = scans(plan!).find((node) => node['Relation Name'] === 'run')!;
  return {
    index: scan['Index Name'],
    rows: (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)) * scan['Actual Loops'],
  };
}

it('runs that were stopped before any result are closed once, and not read again until they are resumed', async () => {
  const team = await createTeam(pool, { runningJobs: 99 });
  const { teamId, userId } = team;
  const runs = await Promise.all(Array.from({ length: 5 }, () => team.submit()));
  for (const { jobId } of runs) await cancelJob(pool, { teamId, jobId });
  const { runId } = runs[0]!;
  // A history of such runs.
  await pool.query(
    `INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
       config, samples, closed_generation)
     SELECT gen_random_uuid(), team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
       config, samples, generation FROM run, generate_series(1, 3000) WHERE id = $1`,
    [runId],
  );
  await pool.query('VACUUM ANALYZE run');
  for (let turn = 0; turn < 2; turn++) await finishAll();
  expect(await runsToFinish(pool)).toEqual([]);
  await pool.query('VACUUM ANALYZE run');
  expect(await runsRead()).toEqual({ index: 'run_to_finish', rows: 0 });
  const stored = async () => (await pool.query('SELECT status, score FROM run WHERE id = $1', [runId])).rows[0];
  expect(await stored()).toEqual({ status: 'cancelled', score: null });

  const resumed = await resumeRun(pool, { teamId, userId, tokenId: null, runId });
  await cancelJob(pool, { teamId, jobId: resumed.jobId });
  await finishAll();
  expect(await stored()).toEqual({ status: 'cancelled', score: null });
  expect(await runsToFinish(pool)).toEqual([]);
  const again = await resumeRun(pool, { teamId, userId, tokenId: null, runId });
  await settleRun(pool, runId, [1, 0.5]);
  await cancelJob(pool, { teamId, jobId: again.jobId });
  await finishAll();
  expect(await stored()).toEqual({ status: 'cancelled', score: 0.75 });
  expect(await runsToFinish(pool)).toEqual([]);
});
