import type { ImportAnswer } from '#lib/contracts/import';
import { UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import type { Sent } from '../../api/action';
import { client } from '../../api/client';
import { runsQuery } from '../runs/api';

/** The runs that the overview lists. */
export const latestRunsQuery = runsQuery({ limit: 10 });

/** The runs among which the newest of each suite is looked for. */
export const finishedRunsQuery = runsQuery({ statuses: ['completed'], limit: 50 });

/** The runs of the jobs that are in progress. */
export const unfinishedRunsQuery = runsQuery({ statuses: UNFINISHED_STATUSES, limit: 60 });

/** Imports the suite that comes with Toolmark. */
export async function importExample(_: string, options: Sent): Promise<ImportAnswer> {
  const file = await client.text('/api/tool-eval/import/example');
  return client.call<ImportAnswer>('POST', '/api/tool-eval/import', file, options);
}
