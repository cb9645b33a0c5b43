import type { JobType } from '#lib/contracts/job';
import { newId } from '#lib/runtime/ids';
import { insertRow } from '../connection/insert-row.js';
import type { PoolClient } from '../connection/pool.js';
import { logEvents } from './log-events.js';

export interface NewJob {
  teamId: string;
  userId: string;
  type: JobType;
  /** The run, the rescore or the gate run that the job carries. */
  resultRef: string;
  /** How many items it has. */
  total: number;
  /** The generation of its run. */
  generation?: number;
  /** The job of the parent of a child run. */
  parentId?: string | undefined;
  /** It counts towards no limit and in no list, as if it had a parent: it is its own. */
  isHidden?: boolean | undefined;
}

/** Writes a pending job, with the first entry of its log. `admitJobs` starts it when it is its turn. */
export async function createJob(client: PoolClient, job: NewJob): Promise<string> {
  const id = newId();
  await insertRow(client, 'job', {
    id,
    team_id: job.teamId,
    user_id: job.userId,
    type: job.type,
    status: 'pending',
    result_ref: job.resultRef,
    total: job.total,
    generation: job.generation ?? 1,
    parent_id: job.isHidden ? id : (job.parentId ?? null),
  });
  await logEvents(client, id, [
    { name: 'job_created', data: { type: job.type, status: 'pending', result_ref: job.resultRef } },
  ]);
  return id;
}
