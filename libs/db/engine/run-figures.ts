import type { CountedCaseFigures, CountedGroup, CountedRun } from '#lib/contracts/counted';
import type { Ranking } from '#lib/contracts/ranking';
import { BatchColumns } from '../connection/batch-columns.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { HAS_ENDED, scoringIdOf, type Scoring } from '../read/run-figures.js';

// A worker counts the figures of an ended run once: when it ends, or when they are first viewed. The same goes for
// those of a rescore. A request for them writes a row of `run_figures` with the generation of the run, and a worker
// fills it. The rows of cases are written along the way and belong to the generation; the rest is written in one
// transaction.

/** Requests the figures of a run in its current state, unless they exist or are already requested. */
export const askForFigures = (db: Pool | PoolClient, scoring: Scoring): Promise<void> => ask(db, scoring, 'true');

/** The same for a run that the history lists. Most of the others, of which a tune has hundreds, are never viewed. */
export const askForFiguresOfListed = (db: Pool | PoolClient, scoring: Scoring): Promise<void> =>
  ask(db, scoring, 'listed');

async function ask(db: Pool | PoolClient, scoring: Scoring, which: string): Promise<void> {
  await db.query(
    `INSERT INTO run_figures (run_id, scoring_id, generation)
     SELECT id, $2, generation FROM run WHERE id = $1 AND ${which}
     ON CONFLICT (run_id, scoring_id) DO UPDATE SET generation = excluded.generation, counted_at = NULL
       WHERE run_figures.generation <> excluded.generation`,
    [scoring.runId, scoringIdOf(scoring)],
  );
}

export interface RunToCount extends Scoring {
  teamId: string;
  generation: number;
  /** Number of its results. */
  results: number;
}

/**
 * Ended runs whose figures were requested: the oldest five of each team.
 * @param except ids of scorings
 */
export async function runsToCount(pool: Pool, except: readonly string[] = []): Promise<RunToCount[]> {
  const { rows } = await pool.query<Omit<RunToCount, 'rescoreId'> & { rescoreId: string | null }>({
    name: 'runs_to_count',
    text: `SELECT "runId", nullif("scoringId", "runId") AS "rescoreId", "teamId", generation,
       (SELECT sum(settled)::float8 FROM target WHERE run_id = "runId") AS results
     FROM (
       SELECT r.id AS "runId", f.scoring_id AS "scoringId", r.team_id AS "teamId", f.generation,
         row_number() OVER (PARTITION BY r.team_id ORDER BY f.scoring_id) AS n
       FROM run_figures f JOIN run r ON r.id = f.run_id LEFT JOIN rescore s ON s.id = f.scoring_id
       WHERE coalesce(s.worker_level, r.worker_level) <= level_of_session()
         AND f.counted_at IS NULL AND f.generation = r.generation AND r.status IN ${HAS_ENDED}
         AND f.scoring_id <> ALL ($1)
     ) oldest
     WHERE n <= 5 ORDER BY n, "scoringId" LIMIT 1000`,
    values: [except],
  });
  return rows.map(({ rescoreId, ...row }) => ({ ...row, rescoreId: rescoreId ?? undefined }));
}

const arrayOf = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;
const CASES = new BatchColumns<CountedCaseFigures>({
  position: ['int', ({ position }) => position],
  case_id: ['uuid', ({ caseId }) => caseId],
  name: ['text', ({ name }) => name],
  prompt: ['text', ({ prompt }) => prompt],
  category: ['text', ({ category }) => category],
  scored: ['text', ({ scored }) => arrayOf(scored)],
  passed: ['text', ({ passed }) => arrayOf(passed)],
  errored: ['text', ({ errored }) => arrayOf(errored)],
  overall_sum: ['text', ({ overallSum }) => arrayOf(overallSum)],
  differs: ['bool', ({ differs }) => differs],
  all_failed: ['bool', ({ allFailed }) => allFailed],
  disagreement: ['real', ({ disagreement }) => disagreement],
  failing: ['real', ({ failing }) => failing],
});

type Counted = Scoring & Pick<RunToCount, 'generation'>;

/** Stores cases of a run that is being counted. A concurrent count of the same generation stores the same. */
export async function storeCaseFigures(
  pool: Pool,
  { generation, ...scoring }: Counted,
  cases: readonly CountedCaseFigures[],
): Promise<void> {
  await pool.query(
    `INSERT INTO case_figures (run_id, scoring_id, generation, position, case_id, name, prompt, category, scored,
       passed, errored, overall_sum, differs, all_failed, disagreement, failing)
     SELECT $1, $2, $3, position, case_id, name, prompt, category, scored::int[], passed::int[], errored::int[],
       overall_sum::float8[], differs, all_failed, disagreement, failing
     FROM ${CASES.unnest(4)}
     WHERE EXISTS (SELECT 1 FROM run_figures WHERE run_id = $1 AND scoring_id = $2 AND generation = $3)
     ON CONFLICT (run_id, scoring_id, position) DO UPDATE SET generation = excluded.generation,
       scored = excluded.scored, passed = excluded.passed, errored = excluded.errored,
       overall_sum = excluded.overall_sum, differs = excluded.differs, all_failed = excluded.all_failed,
       disagreement = excluded.disagreement, failing = excluded.failing`,
    [scoring.runId, scoringIdOf(scoring), generation, ...CASES.values(cases)],
  );
}

const GROUPS = new BatchColumns<CountedGroup>({
  error_type: ['text', (group) => group.error_type],
  expected_tool: ['text', (group) => group.expected_tool],
  called_tool: ['text', (group) => group.called_tool],
  argument: ['text', (group) => group.argument],
  count: ['int', (group) => group.count],
  by_target: ['text', (group) => arrayOf(group.by_target)],
  targets: ['text', ({ drawn }) => arrayOf(drawn.map(({ target }) => target))],
  positions: ['text', ({ drawn }) => arrayOf(drawn.map(({ position }) => position))],
  samples: ['text', ({ drawn }) => arrayOf(drawn.map(({ sample }) => sample))],
});

/**
 * Stores the counts of a run, once, and removes what is left of an earlier generation. Changes nothing when the run was
 * resumed or deleted since.
 */
export async function storeFigures(
  pool: Pool,
  { generation, ...scoring }: Counted,
  { facets, confusions, groups, otherFailures, cases, differing, allFailed }: CountedRun,
  ranking: Ranking | null,
): Promise<void> {
  const ids = [scoring.runId, scoringIdOf(scoring)];
  await inTransaction(pool, async (client) => {
    // What is counted has the scores by tool: points of trends are written again. First, as finishing a run locks them.
    if (scoring.rescoreId === undefined)
      await client.query('UPDATE run_against SET points_revision = 0 WHERE run_id = $1', [scoring.runId]);
    const counted = await client.query(
      `UPDATE run_figures f SET counted_at = now(), facets = $4, confusions = $5, other_failures = $6, cases = $7,
         differing = $8, all_failed = $9, ranking = $10, ordered_generation = $3
       FROM run r
       WHERE f.run_id = $1 AND f.scoring_id = $2 AND f.generation = $3 AND f.counted_at IS NULL AND r.id = f.run_id
         AND r.generation = f.generation AND r.status IN ${HAS_ENDED}`,
      [
        ...[...ids, generation, JSON.stringify(facets), confusions.map((one) => JSON.stringify(one))],
        ...[JSON.stringify(otherFailures), cases, differing, allFailed, ranking && JSON.stringify(ranking)],
      ],
    );
    if (counted.rowCount === 0) return;
    await client.query('DELETE FROM case_figures WHERE run_id = $1 AND scoring_id = $2 AND generation <> $3', [
      ...ids,
      generation,
    ]);
    await client.query('DELETE FROM failure_group WHERE run_id = $1 AND scoring_id = $2', ids);
    await client.query(
      `INSERT INTO failure_group (run_id, scoring_id, generation, nth, error_type, expected_tool, called_tool, argument,
         count, by_target, targets, positions, samples)
       SELECT $1, $2, $3, nth, error_type, expected_tool, called_tool, argument, count, by_target::int[],
         targets::smallint[], positions::int[], samples::smallint[]
       FROM ${GROUPS.unnest(4, 'nth')}`,
      [...ids, generation, ...GROUPS.values(groups)],
    );
  });
}
