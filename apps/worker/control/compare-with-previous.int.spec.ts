import type { BaselineComparison } from '#lib/contracts/comparison';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { previousRunOf, runsToCompareWithPrevious } from '#lib/db/engine/run-against';
import { resumeRun } from '#lib/db/engine/resume-run';
import { createTeam } from '#lib/db/testing/run-fixture';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { deleteRun } from '#lib/db/upkeep/delete-run';
import { removeUnusedTrends } from '#lib/db/upkeep/unused-trends';
import { readAgainst } from '#lib/db/read/run-against';
import { inProcessComparer } from '../../../test/in-process-comparer.js';
import { replayWithDeaths } from '../../../test/process-deaths.js';
import { createDatabase } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { comparePair, type ComparePair } from './compare-pair.js';
import { PreviousComparer } from './compare-with-previous.js';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createDatabase();
  pool = createPool(database.url, 10);
  drop = async () => {
    await pool.end();
    await database.drop();
  };
});
afterAll(() => drop());

const never = new AbortController().signal;
const realCompare: ComparePair = (...pair) => comparePair(inProcessComparer(pool), ...pair);

const aComparer = ({ db = pool, compare = realCompare }: { db?: Pool; compare?: ComparePair } = {}) =>
  new PreviousComparer({ pool: db, compare, onMoreToDo: () => {} });

/** Compares what is due, as a worker does in its turns. */
async function work(comparer = aComparer()): Promise<void> {
  for (let due = await comparer.toCompare(); due.length > 0; due = await comparer.toCompare())
    for (const run of due) await comparer.compare(run, never).catch(() => {});
}

const CASES = 40;
const right = (count: number): Outcome[] => Array.from({ length: CASES }, (_, n) => Number(n < count));

type Input = Parameters<Awaited<ReturnType<typeof createTeam>>['submit']>[0];

async function aTeam() {
  const team = await createTeam(pool, { cases: CASES, runningJobs: 100 });
  return {
    ...team,
    async ended(count: number, input: Input = {}): Promise<string> {
      const { runId } = await team.submit(input);
      await this.end(runId, right(count));
      return runId;
    },
    async end(runId: string, outcomes: readonly Outcome[]): Promise<void> {
      await settleRun(pool, runId, outcomes);
      await pool.query(
        `UPDATE run SET status = 'completed', score = 1, finished_at = clock_timestamp() WHERE id = $1`,
        [runId],
      );
    },
    against: async (runId: string) => (await readAgainst(pool, team.teamId, [runId])).get(runId) ?? null,
  };
}

describe('a run that has ended', () => {
  it('is compared with the last run of the same suite, models and parameters that ended before it', async () => {
    const [team, other] = [await aTeam(), await aTeam()];
    await other.ended(40);
    const first = await team.ended(39, { name: 'Nightly 1' });
    await team.ended(5, { models: ['b'] });
    await team.ended(5, { models: ['a', 'b'] });
    const second = await team.ended(20);
    expect(await team.against(second)).toBeNull();
    await work();
    expect(await team.against(first)).toBeNull();
    expect(await team.against(second)).toMatchObject({
      run: { id: first, name: 'Nightly 1', suite_version: 1, finished_at: expect.any(String) },
      kind: 'previous',
      verdict: 'regressed',
      difference: expect.closeTo(-19 / 40, 12),
      n_cases: CASES,
      regressed: 1,
      improved: 0,
      worst: { verdict: 'regressed', from: 39 / 40, to: 0.5 },
    });
    const third = await team.ended(20);
    await work();
    expect(await team.against(third)).toMatchObject({ run: { id: second }, difference: 0, regressed: 0 });
  });

  it('is compared with an earlier one when the one before it is deleted, and again when that was resumed', async () => {
    const team = await aTeam();
    const [first, second, third] = [await team.ended(40), await team.ended(20), await team.ended(20)];
    await work();
    await deleteRun(pool, { teamId: team.teamId, runId: second });
    expect(await team.against(third)).toBeNull();
    await work();
    expect(await team.against(third)).toMatchObject({ run: { id: first }, verdict: 'regressed' });
    await settleRun(pool, first, [null, ...right(40).slice(1)]);
    expect(
      await resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId: first }),
    ).toBeTruthy();
    expect(await team.against(third)).toBeNull();
    await work();
    await team.end(first, right(20));
    await work();
    expect(await team.against(third)).toBeNull();
    expect(await team.against(first)).toMatchObject({ run: { id: third }, difference: 0 });
  });

  it('waits for no other team, however many runs of one are due', async () => {
    const [many, one] = [await aTeam(), await aTeam()];
    for (let n = 0; n < 12; n++) await many.ended(20);
    const due = await one.ended(20);
    const found = await aComparer().toCompare();
    expect(found.map(({ id }) => id)).toContain(due);
    expect(found.filter(({ teamId }) => teamId === many.teamId)).toHaveLength(5);
    await work();
  });

  it('is compared later if that fails, while the others are', async () => {
    const team = await aTeam();
    const [, second] = [await team.ended(40), await team.ended(20)];
    const third = await team.ended(20);
    const broken = aComparer({
      compare: (rules, run, ...rest) =>
        run.id === second ? Promise.reject(new Error('a bug')) : realCompare(rules, run, ...rest),
    });
    await work(broken);
    expect(await team.against(second)).toBeNull();
    expect(await team.against(third)).toMatchObject({ run: { id: second } });
    await work();
    expect(await team.against(second)).toMatchObject({ verdict: 'regressed' });
  });

  it('keeps no comparison of what was resumed or deleted while it was compared', async () => {
    const team = await aTeam();
    const [first, second] = [await team.ended(40), await team.ended(20)];
    let meanwhile = async (): Promise<unknown> => deleteRun(pool, { teamId: team.teamId, runId: first });
    const compare: ComparePair = async (...pair) => {
      const compared = await realCompare(...pair);
      await meanwhile();
      meanwhile = () => Promise.resolve();
      return compared;
    };
    await work(aComparer({ compare }));
    expect(await team.against(second)).toBeNull();
    const third = await team.ended(20);
    meanwhile = () => pool.query('UPDATE run SET generation = generation + 1 WHERE id = $1', [second]);
    await work(aComparer({ compare }));
    expect(await team.against(third)).toMatchObject({ run: { id: second } });
  });

  it('is compared once more by the next process, whatever the one before it had done when it died', async () => {
    const story = async (db: Pool): Promise<object> => {
      const team = await aTeam();
      await team.ended(40);
      const second = await team.ended(20);
      await work(aComparer({ db })).catch(() => {});
      await pool.query(`DELETE FROM lease WHERE name LIKE 'against %'`); // As if its time were over.
      await until(async () => {
        await work();
        return (await team.against(second)) !== null;
      });
      const { rows } = await pool.query<{ comparison: string }>('SELECT * FROM run_against WHERE run_id = $1', [
        second,
      ]);
      const { verdict, difference } = JSON.parse(rows[0]!.comparison) as BaselineComparison;
      return { verdict, difference };
    };
    await replayWithDeaths([{ pool }], (_world, db) => story(db), { least: 5, most: 80 });
  }, 60_000);
});

describe('trends', () => {
  const points = async (teamId: string): Promise<string[]> => {
    const { rows } = await pool.query<{ point: string }>(
      `SELECT concat_ws(' ', s.target, s.kind, nullif(s.part, ''), p.mean, p.scored, p.errored, p.verdict) AS point
       FROM trend_series s JOIN trend_point p ON p.series_id = s.id WHERE s.team_id = $1
       ORDER BY p.finished_at, s.kind, s.part, s.target`,
      [teamId],
    );
    return rows.map(({ point }) => point);
  };
  const summarise = (runId: string, overall: number) =>
    pool.query(`UPDATE target SET summary = $2 WHERE run_id = $1`, [
      runId,
      JSON.stringify({
        ...{ overall, overall_ci: [0.1, 0.9], scored: 40, errored: 0, cost_usd: 0.5, latency_ms: { p95: 250 } },
        by_category: { Weather: { cases: 40, overall, overall_ci: null, scored: 40, errored: 0 } },
      }),
    ]);
  /** The figures of its cases, as if it had been counted: half of them expect a tool. */
  const count = async (runId: string): Promise<void> => {
    await pool.query(
      `WITH counted AS (
         INSERT INTO run_figures (run_id, scoring_id, generation, counted_at)
         SELECT id, id, generation, now() FROM run WHERE id = $1
       )
       INSERT INTO case_figures (run_id, scoring_id, generation, position, case_id, prompt, scored, passed, errored,
         overall_sum, differs, all_failed)
       SELECT r.id, r.id, r.generation, n, gen_random_uuid(), '', '{2}', '{1}', '{0}', ARRAY[n % 2], false, false
       FROM run r, generate_series(0, $2 - 1) n WHERE r.id = $1`,
      [runId, CASES],
    );
    await pool.query(
      `UPDATE suite_version_case SET body = '{"prompt":"hi","expected_tool":"get_weather"}'
       WHERE version_id = (SELECT suite_version_id FROM run WHERE id = $1) AND position % 2 = 1`,
      [runId],
    );
    await pool.query('UPDATE run_against SET points_revision = 0 WHERE run_id = $1', [runId]);
  };

  it('get the points of each run that ends, which go when it is resumed or deleted, and with the suite', async () => {
    const team = await aTeam();
    const [first, second] = [await team.ended(40), await team.ended(20)];
    await summarise(first, 1);
    await summarise(second, 0.5);
    await work();
    expect(await points(team.teamId)).toEqual([
      'sim::a all 1 40 0',
      'sim::a category Weather 1 40 0',
      'sim::a all 0.5 40 0 regressed',
      'sim::a category Weather 0.5 40 0 regressed',
    ]);
    await settleRun(pool, first, [null, ...right(40).slice(1)]);
    expect(
      await resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId: first }),
    ).toBeTruthy();
    expect(await points(team.teamId)).toHaveLength(2);
    await team.end(first, right(40));
    await work();
    expect(await points(team.teamId)).toEqual([
      'sim::a all 0.5 40 0',
      'sim::a category Weather 0.5 40 0',
      'sim::a all 1 0 0 improved',
    ]);
    await deleteRun(pool, { teamId: team.teamId, runId: second });
    await work();
    expect(await points(team.teamId)).toEqual(['sim::a all 1 0 0']);
    await pool.query('DELETE FROM suite WHERE id = $1', [team.suiteId]);
    while (await removeUnusedTrends(pool, 1));
    expect(await points(team.teamId)).toEqual([]);
    await pool.query('UPDATE run_against SET points_revision = 0 WHERE run_id = $1', [first]);
    await work();
    expect(await points(team.teamId)).toEqual([]);
  });

  it('get points of each tool once a run is counted, and those of runs that ended before there were any', async () => {
    const team = await aTeam();
    const run = await team.ended(40);
    await work();
    expect(await points(team.teamId)).toEqual(['sim::a all 1 0 0']);
    await count(run);
    await pool.query('DELETE FROM trend_point WHERE run_id = $1', [run]);
    await work();
    expect(await points(team.teamId)).toEqual([
      'sim::a all 1 0 0',
      'sim::a tool (none) 0 40 0',
      'sim::a tool get_weather 0.5 40 0',
    ]);
  });

  it('get the points of a run that cannot be compared', async () => {
    const team = await aTeam();
    await team.ended(40);
    await work();
    await team.ended(20);
    await work(aComparer({ compare: () => Promise.reject(new Error('a bug')) }));
    expect(await points(team.teamId)).toEqual(['sim::a all 1 0 0', 'sim::a all 0.5 0 0']);
    await work();
  });
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
/** How many rows of `run_against` a statement reads. */
async function rowsRead(statement: (db: Pool) => Promise<unknown>): Promise<number> {
  let plan: Plan | undefined;
  const explain = async (asked: string | { text: string; values: unknown[] }, values?: unknown[]): Promise<object> => {
    const [text, given] = typeof asked === 'string' ? [asked, values] : [asked.text, asked.values];
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, given);
    plan = rows[0]['QUERY PLAN'][0].Plan;
    return { rows: [] };
  };
  await statement({ query: explain } as unknown as Pool);
  const nodes = (node: Plan): Plan[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  return nodes(plan!)
    .filter((node) => node['Relation Name'] === 'run_against')
    .reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );
}

it('what is due, and the run before it, are found without reading 10,000 other runs of the suite', async () => {
  const team = await aTeam();
  const first = await team.ended(40);
  await pool.query(
    `WITH others AS (
       INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
         config, samples, finished_at)
       SELECT gen_random_uuid(), team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version,
         status, config, samples, now() FROM run, generate_series(1, 10000) WHERE id = $1
       RETURNING *
     )
     INSERT INTO run_against (run_id, team_id, suite_id, models, finished_at, compared_revision, points_revision)
     SELECT id, team_id, suite_id, 'others', finished_at, 1, 1 FROM others`,
    [first],
  );
  const second = await team.ended(20);
  await pool.query('VACUUM ANALYZE run, run_against');
  expect(await previousRunOf(pool, second)).toBe(first);
  expect(await rowsRead((db) => previousRunOf(db, second))).toBeLessThanOrEqual(3);
  expect(await rowsRead((db) => runsToCompareWithPrevious(db, []))).toBeLessThanOrEqual(40);
  await work();
  expect(await team.against(second)).toMatchObject({ run: { id: first } });
});
