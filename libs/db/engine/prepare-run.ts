import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import { BatchColumns } from '../connection/batch-columns.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { RESULT_EVENT } from '../read/log.js';
import { activateRuns, showPreparation } from './admit-jobs.js';

/** A resumed run whose items must be scanned. */
export interface RunToPrepare {
  id: string;
  teamId: string;
  jobId: string;
}

/**
 * Resumed runs whose job was admitted: the oldest five of each team. They include runs that were stopped by a release
 * that does not know preparation.
 */
export async function runsToPrepare(pool: Pool): Promise<RunToPrepare[]> {
  const { rows } = await pool.query<RunToPrepare>({
    name: 'runs_to_prepare',
    text: `SELECT id, "teamId", "jobId" FROM (
       SELECT r.id, r.team_id AS "teamId", r.job_id AS "jobId",
         row_number() OVER (PARTITION BY r.team_id ORDER BY r.job_id) AS n
       FROM run r JOIN job j ON j.id = r.job_id
       WHERE j.status <> 'pending' AND r.id IN (SELECT run_id FROM preparation)
         AND r.worker_level <= level_of_session()
     ) oldest
     WHERE n <= 5 ORDER BY n, id LIMIT 1000`,
  });
  return rows;
}

/** The preparation of one target: its items from `next_item` to `end_item` are still to be scanned. */
interface Part {
  target: number;
  generation: number;
  next_item: number;
  end_item: number;
}

/**
 * Scans the next items of a resumed run. Errored results are deleted and become log entries of the job in which they
 * ended; they and the items without a result become redo rows. With the last batch the run becomes active. Each batch
 * is one commit that also moves the preparation past it, so that continuing after a crash does nothing twice.
 * @returns whether there is more to do, and the lanes that have work now; undefined when another process prepares the
 *   run, or nothing is left to prepare
 */
export async function prepareRun(
  pool: Pool,
  { id: runId }: Pick<RunToPrepare, 'id'>,
  pieceSize = 5000,
): Promise<{ more: boolean; lanes: string[] } | undefined> {
  return inTransaction(pool, async (client) => {
    if (!(await lockPreparation(client, runId))) return undefined;
    // Cancelling the run, and dispatching or settling its items, happens before or after this.
    const targets = await client.query<{ lane_id: string }>(
      'SELECT lane_id FROM target WHERE run_id = $1 ORDER BY ordinal FOR NO KEY UPDATE',
      [runId],
    );
    const { run, parts } = await readPreparation(client, runId);
    if (!run || run.status === 'pending' || parts.length === 0) return undefined;
    if (isFinished(run.status) || parts[0]!.generation !== run.generation) {
      await cancelPreparation(client, runId);
      return undefined;
    }
    const isOpen = ({ next_item, end_item }: Part): boolean => next_item < end_item;
    const part = parts.find(isOpen);
    if (part) {
      const end = Math.min(part.next_item + pieceSize, part.end_item);
      await prepareItems(client, runId, part, end);
      part.next_item = end;
    }
    if (parts.some(isOpen)) {
      await showPreparation(client, [runId]);
      return { more: true, lanes: [] };
    }
    await client.query('DELETE FROM preparation WHERE run_id = $1', [runId]);
    await client.query('UPDATE job SET detail = NULL WHERE id = $1', [run.job_id]);
    await activateRuns(client, [runId]);
    return { more: false, lanes: [...new Set(targets.rows.map(({ lane_id }) => lane_id))] };
  });
}

/** Only one process at a time prepares a run. It waits for any other lock at most five seconds. */
async function lockPreparation(client: PoolClient, runId: string): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('prepare'), hashtext($1)) AS mine,
       set_config('lock_timeout', '5s', true)`,
    [runId],
  );
  return rows[0]!.mine;
}

interface PreparedRun {
  job_id: string;
  status: JobStatus;
  generation: number;
}

async function readPreparation(
  client: PoolClient,
  runId: string,
): Promise<{ run: PreparedRun | undefined; parts: Part[] }> {
  const runs = await client.query<PreparedRun>('SELECT job_id, status, generation FROM run WHERE id = $1', [runId]);
  const parts = await client.query<Part>(
    'SELECT target, generation, next_item, end_item FROM preparation WHERE run_id = $1 ORDER BY target',
    [runId],
  );
  return { run: runs.rows[0], parts: parts.rows };
}

export interface ItemOfCase {
  item: number;
  casePosition: number;
  sample: number;
}

/** The case and sample of the items. An item is a position of (case, sample); a run may have only some of the cases. */
export async function locateItems(client: PoolClient, runId: string, from: number, end: number): Promise<ItemOfCase[]> {
  const { rows } = await client.query<{
    samples: number;
    first_sample: number;
    first: number;
    positions: number[] | null;
  }>(
    `SELECT samples, first_sample, $2::int / samples AS first,
       CASE WHEN cardinality(case_positions) > 0
         THEN case_positions[$2::int / samples + 1 : ($3::int - 1) / samples + 1] END AS positions
     FROM run WHERE id = $1`,
    [runId, from, end],
  );
  const { samples, first_sample: firstSample, first, positions } = rows[0]!;
  return Array.from({ length: end - from }, (_, n) => {
    const item = from + n;
    const index = Math.floor(item / samples);
    const casePosition = positions ? positions[index - first]! : index;
    return { item, casePosition, sample: firstSample + (item % samples) };
  });
}

const ITEMS = new BatchColumns<ItemOfCase>({
  item: ['int', ({ item }) => item],
  case_position: ['int', ({ casePosition }) => casePosition],
  sample: ['int', ({ sample }) => sample],
});

/** Prepares the items of a target from its current position to `end`. The caller holds the target. */
async function prepareItems(
  client: PoolClient,
  runId: string,
  { target, generation, next_item: from }: Part,
  end: number,
): Promise<void> {
  const items = await locateItems(client, runId, from, end);
  const positions = items.map(({ casePosition }) => casePosition);
  await client.query(
    // The range of positions lets Postgres use the key of `result`.
    `WITH item AS (
       SELECT * FROM ${ITEMS.unnest(7)}
     ), removed AS (
       DELETE FROM result r USING item i
       WHERE r.run_id = $1 AND r.target = $2 AND r.case_position BETWEEN $5 AND $6 AND r.outcome = 'errored'
         AND r.generation < $3 AND r.case_position = i.case_position AND r.sample = i.sample
       RETURNING i.item, r.*
     ), logged AS (
       INSERT INTO job_event (job_id, seq, at, name, data)
       SELECT j.id, r.seq, r.settled_at, 'tool_eval_result', ${RESULT_EVENT}
       FROM removed r JOIN run ON run.id = r.run_id
         JOIN job j ON j.team_id = run.team_id AND j.result_ref = $1::text AND j.type = 'tool_eval'
           AND j.generation = r.generation
     ), redone AS (
       INSERT INTO redo (run_id, target, item)
       SELECT $1, $2, item FROM removed
       UNION ALL
       SELECT $1, $2, i.item FROM item i
       WHERE NOT EXISTS (
           SELECT 1 FROM result r
           WHERE r.run_id = $1 AND r.target = $2 AND r.case_position BETWEEN $5 AND $6
             AND r.case_position = i.case_position AND r.sample = i.sample
         ) AND NOT EXISTS (
           SELECT 1 FROM in_flight f WHERE f.run_id = $1 AND f.target = $2 AND f.item = i.item
         )
       ON CONFLICT DO NOTHING
     )
     UPDATE preparation SET next_item = $4, errored = errored - (SELECT count(*) FROM removed)
     WHERE run_id = $1 AND target = $2`,
    [runId, target, generation, end, Math.min(...positions), Math.max(...positions), ...ITEMS.values(items)],
  );
}

/**
 * Ends the preparation of a run that is not resumed after all: errored results that were not removed yet count again.
 * Targets that another release has resumed since keep that release's counts. The caller holds the targets.
 */
const cancelPreparation = (client: PoolClient, runId: string): Promise<void> => cancelPreparations(client, [runId]);

/** The same for many runs. */
export async function cancelPreparations(client: PoolClient, runIds: readonly string[]): Promise<void> {
  await client.query(
    `WITH cancelled AS (DELETE FROM preparation WHERE run_id = ANY ($1) RETURNING run_id, target, generation, errored)
     UPDATE target t SET settled = t.settled + c.errored, errored = t.errored + c.errored
     FROM cancelled c JOIN run r ON r.id = c.run_id AND r.generation = c.generation
     WHERE t.run_id = c.run_id AND t.ordinal = c.target`,
    [runIds],
  );
}
