import { lockQuotas } from '../catalogue/quotas.js';
import type { PoolClient } from '../connection/pool.js';
import { jobTurns } from './job-turns.js';
import { lockUser } from './lock-user.js';
import { logJobEvents } from './log-events.js';

/**
 * Starts the pending jobs of a user whose turn it is (`jobTurns`), and those of child runs, which are covered by their
 * parent's slot: `pending` becomes `queued`, and a run's targets become active, unless it has to be prepared first.
 * Called wherever the number may have changed: after a submit, a finish, a cancel. Jobs of others whose turn it is then
 * are started by `startPendingJobs`. The lock on the quotas makes simultaneous callers count each other's jobs. The
 * share lock on the team's row makes a change of the limit wait for callers that count by the old one.
 * @returns the jobs that start
 */
export async function admitJobs(client: PoolClient, userId: string): Promise<string[]> {
  await lockUser(client, userId);
  // They stay pending until then: starting or ending one requires the lock on the user.
  const { rows: pending } = await client.query<{ id: string; teamId: string; isChild: boolean }>(
    `SELECT id, team_id AS "teamId", parent_id IS NOT NULL AS "isChild" FROM job
     WHERE user_id = $1 AND status = 'pending' ORDER BY id`,
    [userId],
  );
  const own = pending.find(({ isChild }) => !isChild);
  const turns = own ? await turnsOfUser(client, own.teamId, userId) : new Set();
  const jobIds = pending.filter(({ id, isChild }) => isChild || turns.has(id)).map(({ id }) => id);
  if (jobIds.length) await startJobs(client, jobIds);
  return jobIds;
}

async function turnsOfUser(client: PoolClient, teamId: string, userId: string): Promise<Set<string>> {
  await client.query('SELECT 1 FROM team WHERE id = $1 FOR SHARE', [teamId]);
  await lockQuotas(client, teamId, 'work');
  const { rows } = await client.query<{ id: string }>({
    name: 'job_turns_of_team',
    text: `SELECT id FROM (${jobTurns('team_id = $1')}) turns WHERE user_id = $2`,
    values: [teamId, userId],
  });
  return new Set(rows.map(({ id }) => id));
}

async function startJobs(client: PoolClient, jobIds: readonly string[]): Promise<void> {
  await client.query(
    `SELECT 1 FROM target WHERE run_id IN (SELECT id FROM run WHERE job_id = ANY ($1))
     ORDER BY run_id, ordinal FOR NO KEY UPDATE`,
    [jobIds],
  );
  const { rows: runs } = await client.query<{ id: string }>(
    `UPDATE run SET status = 'queued'
     WHERE id IN (SELECT id FROM run WHERE job_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE) RETURNING id`,
    [jobIds],
  );
  await client.query(
    `UPDATE job SET status = 'queued'
     WHERE id IN (SELECT id FROM job WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE)`,
    [jobIds],
  );
  const runIds = runs.map(({ id }) => id);
  const prepared = new Set(await showPreparation(client, runIds));
  const rest = runIds.filter((id) => !prepared.has(id));
  if (rest.length) await activateRuns(client, rest);
}

/**
 * Writes the preparation progress of resumed runs to the details of their jobs.
 * @returns the runs that still have to be prepared
 */
export async function showPreparation(client: PoolClient, runIds: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ run_id: string }>(
    `UPDATE job SET detail = 'preparing ' || p.done || ' of ' || p.total
     FROM (
       SELECT run_id, sum(next_item) AS done, sum(end_item) AS total FROM preparation WHERE run_id = ANY ($1)
       GROUP BY run_id
     ) p JOIN run r ON r.id = p.run_id
     WHERE job.id = r.job_id RETURNING p.run_id`,
    [runIds],
  );
  return rows.map((row) => row.run_id);
}

/** Lets the dispatcher take items of runs whose jobs were admitted, and logs their start. */
export async function activateRuns(client: PoolClient, runIds: readonly string[]): Promise<void> {
  await client.query('SELECT 1 FROM target WHERE run_id = ANY ($1) ORDER BY run_id, ordinal FOR NO KEY UPDATE', [
    runIds,
  ]);
  const { rows: targets } = await client.query<{ run_id: string; ordinal: number; target: string; n: number }>(
    `UPDATE target SET active = true
     WHERE run_id = ANY ($1) AND (cursor < n OR EXISTS (
       SELECT 1 FROM redo WHERE redo.run_id = target.run_id AND redo.target = ordinal
     ))
     RETURNING run_id, ordinal, provider_key || '::' || model_id AS target, n`,
    [runIds],
  );
  const { rows: runs } = await client.query<{ id: string; job_id: string }>(
    'SELECT id, job_id FROM run WHERE id = ANY ($1)',
    [runIds],
  );
  const targetsOf = Map.groupBy(targets, (target) => target.run_id);
  await logJobEvents(
    client,
    runs.map(({ id, job_id: jobId }) => {
      const own = (targetsOf.get(id) ?? []).sort((a, b) => a.ordinal - b.ordinal);
      return {
        jobId,
        name: 'tool_eval_init',
        data: {
          eval_id: id,
          targets: own.map(({ target }) => target),
          total_cases: own.reduce((sum, { n }) => sum + n, 0),
        },
      };
    }),
  );
}
