import { pino } from 'pino';
import { JudgeSettingRepository } from '#lib/judge/rows/judge-settings';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { finishRun, noteForJudge, runsToFinish } from '#lib/db/engine/finish-run';
import { judgeFinishedRun, runsToJudge } from '#lib/judge/rows/judge-of-run';
import { JobRepository } from '#lib/db/read/jobs';
import { dyingPool } from '#lib/db/testing/dying-pool';
import { createTeam } from '#lib/db/testing/run-fixture';
import { settleRun } from '#lib/db/testing/settled-run';
import { deleteRun } from '#lib/db/upkeep/delete-run';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { someoneWaits } from '../../../test/lock-wait.js';
import { createDatabase, createRedis } from '../../../test/services.js';
import { FinishedRunJudge } from './judge-finished-runs.js';

let pool: Pool;
let redis: Redis;
let drop: () => Promise<void>;
beforeAll(async () => {
  const [database, { url, close }] = [await createDatabase(), await createRedis()];
  pool = createPool(database.url, 10);
  redis = connectRedis(url, 'producer', pino({ level: 'silent' }));
  drop = async () => {
    await Promise.all([pool.end(), redis.quit()]);
    await Promise.all([database.drop(), close()]);
  };
});
afterAll(() => drop());

const aJudge = (): FinishedRunJudge => new FinishedRunJudge({ pool, redis, onSubmitted: () => {} });

describe('a run that has ended', () => {
  /** A run of a team with a judge, with a failed item. */
  async function aFailedRun() {
    const team = await createTeam(pool);
    await new JudgeSettingRepository(pool, team.teamId).set({ judge: 'sim::judge', instructions: '', auto_below: 1 });
    const { runId, jobId } = await team.submit();
    await settleRun(pool, runId, [1, 0, 0, 0]);
    return {
      ...team,
      runId,
      jobId,
      finish: async () => {
        for (const run of await runsToFinish(pool)) if (run.id === runId) await finishRun(pool, run);
      },
      status: async () => (await new JobRepository(pool, team.teamId).read(jobId)).status,
      reports: async () => (await pool.query('SELECT source FROM judge_report WHERE run_id = $1', [runId])).rows,
      warnings: async () => (await pool.query('SELECT code, message FROM run_warning WHERE run_id = $1', [runId])).rows,
      isNoted: async () => (await runsToJudge(pool, [])).some(({ id }) => id === runId),
    };
  }
  const judge = (judging: FinishedRunJudge) =>
    judging.toJudge().then((runs) => Promise.allSettled(runs.map((run) => judging.judge(run))));

  it.each([
    [
      'its own judge',
      (id: string) => pool.query(`UPDATE run SET config = '{"judge":{"below":7}}' WHERE id = $1`, [id]),
    ],
    [
      'the judge of its team',
      (id: string) =>
        pool.query(`UPDATE judge_setting SET judge = '' WHERE team_id = (SELECT team_id FROM run WHERE id = $1)`, [id]),
    ],
  ])('ends although %s cannot be read, and says so; other runs are judged', async (_what, spoil) => {
    const [spoilt, sound] = [await aFailedRun(), await aFailedRun()];
    await spoil(spoilt.runId);
    await Promise.all([spoilt.finish(), sound.finish()]);
    expect([await spoilt.status(), await sound.status()]).toEqual(['completed', 'completed']);
    await judge(aJudge());
    expect([await spoilt.reports(), await sound.reports()]).toEqual([[], [{ source: 'auto' }]]);
    expect(await spoilt.warnings()).toEqual([
      {
        code: 'not_judged',
        message: expect.stringMatching(/^The run was not judged automatically\. .* cannot be read: /),
      },
    ]);
    expect([await spoilt.isNoted(), await sound.isNoted()]).toEqual([false, false]);
  });

  it('is judged with the results of a resume by another user, even when that ends at the same moment', async () => {
    const run = await aFailedRun();
    await run.finish();
    const other = await createTeam(pool); // the resume locks a different user
    await pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [run.runId]);
    const ending = await pool.connect();
    await ending.query('BEGIN');
    await ending.query(`UPDATE run SET status = 'completed', user_id = $2 WHERE id = $1`, [run.runId, run.userId]);
    await noteForJudge(ending, run.runId);
    const judging = judgeFinishedRun(pool, { ...run, userId: other.userId, id: run.runId });
    await Promise.race([judging, someoneWaits(pool)]);
    await ending.query('COMMIT');
    ending.release();
    await judging;
    expect(await run.reports()).toEqual([{ source: 'auto' }]);
  });

  it('is judged once even after crashes; after another failure it is retried later', async () => {
    const [run, broken] = [await aFailedRun(), await aFailedRun()];
    await pool.query(`UPDATE run SET config = 'no JSON' WHERE id = $1`, [broken.runId]);
    await Promise.all([run.finish(), broken.finish()]);
    for (let n = 1; await run.isNoted(); n++)
      await judgeFinishedRun(dyingPool(pool, n).pool, { ...run, id: run.runId }).catch(() => {});
    expect(await judgeFinishedRun(pool, { ...run, id: run.runId })).toBeUndefined();
    expect(await run.reports()).toEqual([{ source: 'auto' }]);
    const judging = aJudge();
    await judge(judging);
    expect((await judging.toJudge()).map(({ id }) => id)).not.toContain(broken.runId);
    expect([await broken.status(), await broken.isNoted()]).toEqual(['completed', true]);
    await deleteRun(pool, broken);
    expect(await broken.isNoted()).toBe(false);
  });
});
