import { zstdCompressSync } from 'node:zlib';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { Pool } from '#lib/db/connection/pool';
import { rescoresToContinue, storeRescored, submitRescore } from '#lib/db/engine/rescore-run';
import { RescoreRepository } from '#lib/db/read/rescores';
import { completedRun } from '#lib/db/testing/completed-run';
import { createTeam } from '#lib/db/testing/run-fixture';
import { deleteRun, purgeRun } from '#lib/db/upkeep/delete-run';
import { removeUnusedVersions } from '#lib/db/upkeep/suite-versions';
import { inProcessComparer } from '../../../test/in-process-comparer.js';
import { openStores } from '../../../test/orchestrations.js';
import { openTestStores, replayWithDeaths } from '../../../test/process-deaths.js';
import { RunCache } from '../items/run-cache.js';
import { ReplyScorer } from '../scoring/score-reply.js';
import { Rescorer } from './rescore.js';

const scorer = new ReplyScorer({ error: () => {} });
type World = Awaited<ReturnType<typeof openStores>>;
let worlds: World[];
beforeAll(async () => void (worlds = await openTestStores(openStores)), 60_000);
afterAll(() => Promise.all([scorer.close(), ...worlds.map((world) => world.close())]));

const OPTIONS: RescoreOptions = { metrics: [], pass_threshold: null, param_scoring: null, scoring_config: null };
const CASES = 40;
const REPLY = { choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] };

/** A run of two models that answered every case, and a version in which one case expects and another asks otherwise. */
async function mendedRun(pool: Pool) {
  const team = await createTeam(pool, { cases: CASES });
  const answers = Array.from({ length: CASES }, () => [1]);
  const runId = await completedRun(pool, team, { results: { a: answers, b: answers } });
  await pool.query('UPDATE target SET settled = $2 WHERE run_id = $1', [runId, CASES]);
  await pool.query(
    `INSERT INTO exchange (run_id, target, case_position, sample, body)
     SELECT run_id, target, case_position, sample, $2 FROM result WHERE run_id = $1`,
    [runId, zstdCompressSync(JSON.stringify({ requests: [{}], replies: [REPLY] }))],
  );
  const change = (position: number, body: object) =>
    pool.query('UPDATE suite_case SET body = $3 WHERE suite_id = $1 AND position = $2', [
      team.suiteId,
      position,
      JSON.stringify(body),
    ]);
  await change(3, { prompt: 'hi', expected_tool: 'get_weather' });
  await change(30, { prompt: 'asked otherwise', expected_tool: null });
  await pool.query('UPDATE suite SET version = 2 WHERE id = $1', [team.suiteId]);
  return { ...team, runId, version: { suiteId: team.suiteId, version: 2 } };
}

async function rescoreWith({ redis }: World, pool: Pool, jobId: string): Promise<void> {
  const runs = new RunCache(pool);
  const embedder = { similarity: () => Promise.reject(new Error('Nothing is compared by meaning.')) } as never;
  const rescorer = new Rescorer({
    ...{ pool, redis, runs, embedder, scorer },
    comparing: inProcessComparer(pool),
    logger: { error: () => {} } as never,
    onMoreToDo: () => {},
  });
  for (;;) {
    const next = (await rescoresToContinue(pool)).find((one) => one.jobId === jobId);
    if (!next) return;
    await rescorer.rescore(next, new AbortController().signal);
  }
}

async function storyOf(world: World, dying: Pool) {
  const { pool } = world;
  const run = await mendedRun(pool);
  const { jobId } = (await submitRescore(pool, { ...run, tokenId: null, options: OPTIONS })) as { jobId: string };
  await rescoreWith(world, dying, jobId).catch(() => {});
  await rescoreWith(world, pool, jobId);
  const [{ summaries, unmatched, status, suite_version: version } = {} as never] = (
    await new RescoreRepository(pool, run.teamId).list(run.runId, { limit: 2 })
  ).items;
  const { rows } = await pool.query('SELECT done, errored FROM job WHERE id = $1', [jobId]);
  const cases = await pool.query(
    'SELECT position, version_position FROM rescored_case WHERE run_id = $1 ORDER BY position',
    [run.runId],
  );
  const left = { count: unmatched!.count, results: unmatched!.results };
  const figures = summaries.map(({ scored, passed, errored }) => ({ scored, passed, errored }));
  return { status, version, left, figures, job: rows[0] as object, cases: cases.rows as object[] };
}

it('a worker that dies after any statement of a rescore with another version loses and repeats nothing', async () => {
  await replayWithDeaths(worlds, storyOf, {
    ends: {
      status: 'completed',
      version: 2,
      left: { count: 1, results: 2 },
      figures: Array(2).fill({ scored: CASES - 1, passed: CASES - 2, errored: 0 }),
      job: { done: 2 * CASES, errored: 0 },
      cases: [
        { position: 3, version_position: 3 },
        { position: 30, version_position: null },
      ],
    },
    least: 20,
    most: 200,
  });
}, 300_000);

it('the version of a rescore stays while the run does, also for workers of the release before', async () => {
  const [{ pool }] = worlds as [World];
  const run = await mendedRun(pool);
  const { jobId } = (await submitRescore(pool, { ...run, tokenId: null, options: OPTIONS })) as { jobId: string };
  const version = async () =>
    (await pool.query('SELECT id FROM suite_version WHERE suite_id = $1 AND version = 2', [run.suiteId])).rowCount;
  await removeUnusedVersions(pool);
  await pool.query('UPDATE suite_version SET suite_id = id, version = -1 WHERE suite_id = $1 AND version = 2', [
    run.suiteId,
  ]);
  expect(await version()).toBe(1);
  await rescoreWith(worlds[0]!, pool, jobId);
  await deleteRun(pool, { teamId: run.teamId, runId: run.runId });
  while (await purgeRun(pool, run.runId));
  while (await removeUnusedVersions(pool));
  expect(await version()).toBe(0);
  expect((await pool.query('SELECT 1 FROM rescored_case WHERE run_id = $1', [run.runId])).rowCount).toBe(0);
});

it('a result that keeps its verdict keeps it as it is written, and an errored one counts as errored', async () => {
  const [{ pool }] = worlds as [World];
  const { runId, ...run } = await mendedRun(pool);
  const submitted = await submitRescore(pool, { ...run, runId, tokenId: null, version: null, options: OPTIONS });
  const { jobId } = submitted as { jobId: string };
  const evidence = String.raw`{"actual":["\u0000",1e400,1.50]`;
  const set = (column: string, value: string, position: number) =>
    pool.query(`UPDATE result SET ${column} = $3 WHERE run_id = $1 AND target = 0 AND case_position = $2`, [
      ...[runId, position, value],
    ]);
  await set('evidence', `${evidence}}`, 0);
  await set('outcome', 'errored', 1);
  await pool.query('UPDATE target SET result_bytes = 1 WHERE run_id = $1', [runId]);
  const rescore = (await rescoresToContinue(pool)).find((one) => one.jobId === jobId)!;
  const kept = [0, 1].map((casePosition) => ({
    ...{ target: 0, casePosition, sample: 0 },
    scored: undefined,
    kept: true,
  }));
  expect(await storeRescored(pool, rescore, kept)).toBe(true);
  const { rows } = await pool.query('SELECT case_position, evidence FROM rescored WHERE rescore_id = $1', [rescore.id]);
  const note = expect.stringContaining(`${evidence},"notes":["The calls of this conversation are read otherwise`);
  expect(rows).toEqual([{ case_position: 0, evidence: note }]);
  const job = await pool.query('SELECT done, errored FROM job WHERE id = $1', [jobId]);
  expect(job.rows).toEqual([{ done: 2, errored: 1 }]);
  const target = await pool.query(
    'SELECT result_bytes > 200 AS counted FROM target WHERE run_id = $1 AND ordinal = 0',
    [runId],
  );
  expect(target.rows).toEqual([{ counted: true }]);
});
