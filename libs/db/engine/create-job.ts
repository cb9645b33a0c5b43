import type { JobType } from '#lib/contracts/job';
import { newIds } from '#lib/runtime/ids';
import { BatchColumns } from '../connection/batch-columns.js';
import type { PoolClient } from '../connection/pool.js';
import { logJobEvents } from './log-events.js';

export interface NewJob {
  teamId: string;
  userId: string;
  type: JobType;
  /** The run, the rescore or the gate run of the job. */
  resultRef: string;
  /** Number of its items. */
  total: number;
  /** The generation of its run. */
  generation?: number;
  /** The job of the parent of a child run. */
  parentId?: string | undefined;
  /** A hidden job counts towards no limit and appears in no list, like a child run's. It is its own parent. */
  isHidden?: boolean | undefined;
}

/** Writes a pending job and the first entry of its log. `admitJobs` starts it when its turn comes. */
export async function createJob(client: PoolClient, job: NewJob): Promise<string> {
  return (await createJobs(client, [job]))[0]!;
}

const JOBS = new BatchColumns<NewJob & { id: string }>({
  id: ['uuid', ({ id }) => id],
  team_id: ['uuid', ({ teamId }) => teamId],
  user_id: ['uuid', ({ userId }) => userId],
  type: ['text', ({ type }) => type],
  status: ['text', () => 'pending'],
  result_ref: ['text', ({ resultRef }) => resultRef],
  total: ['int', ({ total }) => total],
  generation: ['smallint', ({ generation }) => generation ?? 1],
  parent_id: ['uuid', ({ id, isHidden, parentId }) => (isHidden ? id : parentId)],
});

/** The same for many jobs. @returns their ids, in their order */
export async function createJobs(client: PoolClient, jobs: readonly NewJob[]): Promise<string[]> {
  const ids = newIds(jobs.length);
  const rows = jobs.map((job, n) => ({ ...job, id: ids[n]! }));
  await client.query(`INSERT INTO job (${JOBS.names}) SELECT ${JOBS.names} FROM ${JOBS.unnest(1)}`, JOBS.values(rows));
  await logJobEvents(
    client,
    rows.map(({ id: jobId, type, resultRef }) => ({
      jobId,
      name: 'job_created',
      data: { type, status: 'pending', result_ref: resultRef },
    })),
  );
  return ids;
}
