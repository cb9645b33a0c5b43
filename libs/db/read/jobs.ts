import type { JobStatus } from '#lib/contracts/job-status';
import { type JOB_ORDERS, MAX_POSITION, UNFINISHED_STATUSES, isFinished } from '#lib/contracts/values/jobs';
import type { Job, JobType } from '#lib/contracts/job';
import type { Page, PageQuery } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/input/problem';
import type { JobsSetting } from '#lib/contracts/settings';
import { isJobWithin } from '../catalogue/named-suites.js';
import { toPage } from '../catalogue/page.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { Job as StoredJob } from '../generated/client.js';
import type { TeamScoped } from '../team-isolation.js';
import { blockedJob, PAUSED_ITEMS } from './blocked-job.js';
import { JOB_PROGRESS } from './job-progress.js';
import { JOB_SUBJECT } from './job-subject.js';

type JobRow = StoredJob &
  JobsSetting & {
    submitted_by: string | null;
    subject_ref: string | null;
    position: number | null;
    paused_items: number;
    name: string | null;
    suite_name: string | null;
    /** The level that a worker needs for it; null once it has ended. */
    worker_level: number | null;
  };

const SELECT = `
  SELECT j.*, p.*, subject.*, t.running_jobs_per_user, ${PAUSED_ITEMS} AS paused_items,
    (SELECT name FROM users WHERE id = j.user_id) AS submitted_by,
    CASE j.type WHEN 'tool_eval' THEN NULL WHEN 'rescore' THEN (SELECT run_id FROM rescore WHERE job_id = j.id)
      ELSE (SELECT nullif(subject_id, id) FROM orchestration WHERE id = j.result_ref::uuid) END AS subject_ref,
    CASE WHEN j.status = 'pending' AND j.parent_id IS NULL THEN (SELECT count(*)::int FROM (
      SELECT 1 FROM job o WHERE o.user_id = j.user_id AND o.status = 'pending' AND o.parent_id IS NULL AND o.id <= j.id
      ORDER BY o.id LIMIT ${MAX_POSITION}
    ) upto) END AS position,
    CASE WHEN j.status NOT IN ('queued', 'running') THEN NULL
      WHEN j.type = 'tool_eval' THEN (SELECT worker_level FROM run WHERE job_id = j.id)
      WHEN j.type = 'rescore' THEN (SELECT worker_level FROM rescore WHERE job_id = j.id)
      ELSE (SELECT worker_level FROM orchestration WHERE job_id = j.id) END AS worker_level
  FROM job j JOIN team t ON t.id = j.team_id CROSS JOIN LATERAL ${JOB_PROGRESS} p
    LEFT JOIN LATERAL ${JOB_SUBJECT} subject ON true`;

/** Finds the few unfinished jobs of a team by the partial index of unfinished jobs, however many have ended. */
const ONLY_UNFINISHED = `AND j.status IN ('pending', 'queued', 'running')
  AND j.user_id = ANY (ARRAY(SELECT id FROM users WHERE team_id = $1))`;

const isUnfinished = (status: JobStatus): boolean => !isFinished(status);

/** SQL: the place of a job in the order in which jobs run; 0 once it has ended. */
const turnOf = (job: string): string =>
  `CASE ${job}.status WHEN 'running' THEN 1 WHEN 'queued' THEN 2 WHEN 'pending' THEN 3 ELSE 0 END`;

/** SQL of each order, and of what comes after the job whose id is the cursor ($4). */
const ORDERS: Record<JobFilter['order'], { after: string; order: string }> = {
  newest: { after: 'j.id < $4', order: 'j.id DESC' },
  queue: {
    // After a job that has ended since, the list begins again: a job may be shown twice, but none is left out.
    after: `(${turnOf('j')}, j.id) > (SELECT ${turnOf('c')}, c.id FROM job c WHERE c.id = $4 AND c.team_id = $1)`,
    order: `${turnOf('j')}, j.id`,
  },
};

export interface JobFilter {
  status?: JobStatus[];
  type?: JobType;
  /** Whether to include the jobs of child runs. */
  orchestrated: boolean;
  /** `queue` lists unfinished ones only. */
  order: (typeof JOB_ORDERS)[number];
  /** The suites that the reader's token is limited to; null for all. */
  suiteIds: readonly string[] | null;
}

/** Why no worker can do a job of a type at this level; undefined when one can. */
type WhyNoWorker = (type: JobType, level: number) => string | undefined;

/** The jobs of a team. */
export class JobRepository implements TeamScoped {
  /** @param whyNoWorker explains, in the detail of a job, why no running worker can do it */
  constructor(
    readonly db: Pool | PoolClient,
    readonly teamId: string,
    readonly whyNoWorker: WhyNoWorker = () => undefined,
  ) {}

  async list(filter: JobFilter, { limit, cursor }: PageQuery): Promise<Page<Job>> {
    const status =
      filter.order === 'queue' ? (filter.status ?? [...UNFINISHED_STATUSES]).filter(isUnfinished) : filter.status;
    const onlyUnfinished = status?.every(isUnfinished) ? ONLY_UNFINISHED : '';
    const { after, order } = ORDERS[filter.order];
    const { rows } = await this.db.query<JobRow>(
      `${SELECT}
       WHERE j.team_id = $1 ${onlyUnfinished} AND ($2::text[] IS NULL OR j.status = ANY ($2))
         AND ($3::text IS NULL OR j.type = $3) AND ($4::uuid IS NULL OR ${after})
         AND (j.parent_id IS NULL OR ($5 AND j.parent_id <> j.id)) AND ${isJobWithin('$7')}
       ORDER BY ${order} LIMIT $6`,
      [
        this.teamId,
        status ?? null,
        filter.type ?? null,
        cursor ?? null,
        filter.orchestrated,
        limit + 1,
        filter.suiteIds,
      ],
    );
    return toPage(
      rows.map((row) => this.#toJob(row)),
      limit,
    );
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<Job> {
    const { rows } = await this.db.query<JobRow>(
      `${SELECT}
        WHERE j.id = $1 AND j.team_id = $2`,
      [id, this.teamId],
    );
    if (!rows[0]) throw notFound('job', id);
    return this.#toJob(rows[0]);
  }

  #toJob(row: JobRow): Job {
    const { type, worker_level: level } = row;
    const nobody = level === null ? undefined : this.whyNoWorker(type as JobType, level);
    return toJob(nobody === undefined ? row : { ...row, detail: nobody });
  }
}

function toJob(row: JobRow): Job {
  const blocked = blockedJob(row);
  return {
    id: row.id,
    type: row.type as JobType,
    name: row.name,
    suite_name: row.suite_name,
    status: row.status as JobStatus,
    progress: {
      done: row.done,
      total: row.total,
      errored: row.errored,
      percent: row.total === 0 ? 0 : Math.round((1000 * row.done) / row.total) / 10,
      eta_s: blocked ? null : remainingSeconds(row),
    },
    blocked,
    submitted_by: row.submitted_by,
    position: row.position,
    detail: row.status === 'pending' ? pendingDetail(row) : row.detail,
    result_ref: row.result_ref,
    subject_ref: row.subject_ref,
    error: row.error,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** At the pace so far; null if there is none yet. */
function remainingSeconds({ status, done, total, started_at: startedAt }: JobRow): number | null {
  if (status !== 'running' || done === 0 || done >= total) return null;
  const elapsedS = startedAt ? (Date.now() - startedAt.getTime()) / 1000 : 0;
  return Math.round((elapsedS / done) * (total - done) * 10) / 10;
}

/** Built when the job is read, so that it names the current limit. */
const pendingDetail = ({ running_jobs_per_user: limit }: JobsSetting): string =>
  limit === 1
    ? 'Waits until the running job of the same person ends. An owner can raise the limit of 1 running job.'
    : `Waits until fewer than ${limit} jobs of the same person are running. An owner can raise the limit.`;
