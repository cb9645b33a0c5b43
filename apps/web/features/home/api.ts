import { UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import { runsQuery } from '../runs/api';

/** The runs that the overview lists. */
export const latestRunsQuery = runsQuery({ limit: 10 });

/** The runs among which the newest of each suite is looked for. */
export const finishedRunsQuery = runsQuery({ statuses: ['completed'], limit: 50 });

/** The runs of the jobs that are in progress. */
export const unfinishedRunsQuery = runsQuery({ statuses: UNFINISHED_STATUSES, limit: 60 });
