import type { LogEventName } from '#lib/contracts/values/jobs';
import type { LogEvent, LogEventData } from '#lib/contracts/event';
import type { Pool } from '../connection/pool.js';
import { JOB_PROGRESS } from './job-progress.js';

export type LogEntry = LogEvent & { seq: number; at: Date };

/** A job followed by live connections. Its results are those of `run_id` and `generation`. */
export interface WatchedJob {
  id: string;
  team_id: string;
  last_seq: number;
  done: number;
  total: number;
  run_id: string | null;
  generation: number | null;
}

/** Jobs of any team: a caller has subscribed to each, or checks `team_id` first. */
export async function readWatchedJobs(pool: Pool, ids: readonly string[]): Promise<WatchedJob[]> {
  const { rows } = await pool.query<WatchedJob>(
    `SELECT j.id, j.team_id, j.last_seq, p.done, p.total, r.id AS run_id, j.generation
     FROM job j CROSS JOIN LATERAL ${JOB_PROGRESS} p
       LEFT JOIN run r ON j.type = 'tool_eval' AND r.id = j.result_ref::uuid WHERE j.id = ANY ($1)`,
    [ids],
  );
  return rows;
}

/** SQL of each field of a `tool_eval_result` event, from a row `r` of `result`. */
const RESULT_FIELDS: Record<keyof LogEventData<'tool_eval_result'>, string> = {
  id: `r.target || '-' || r.case_position || '-' || r.sample`,
  eval_id: 'r.run_id',
  target:
    "(SELECT t.provider_key || '::' || t.model_id FROM target t WHERE t.run_id = r.run_id AND " +
    't.ordinal = r.target)',
  case_position: 'r.case_position',
  sample: 'r.sample',
  outcome: 'r.outcome',
  passed: 'r.passed',
  tool_score: 'r.tool_score',
  param_score: 'r.param_score',
  overall: 'r.overall',
  error_type: 'r.error_type',
  format_compliance: 'r.format_compliance',
  latency_ms: 'r.latency_ms',
  cost_usd: 'r.cost_usd',
  cached: 'r.cached',
  error:
    "CASE WHEN r.error_kind IS NOT NULL THEN json_build_object('kind', r.error_kind, 'message', " +
    'r.error_message) END',
};
/** SQL of the data of a `tool_eval_result` event, as JSON text. */
export const RESULT_EVENT = `json_build_object(${Object.entries(RESULT_FIELDS)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})::text`;

/**
 * The durable log of a job after a sequence number, in order, up to `limit` entries. It consists of the logged events
 * and of the results, which carry their own sequence numbers; a result has its scores, not its exchange.
 */
export async function readLog(pool: Pool, job: WatchedJob, afterSeq: number, limit: number): Promise<LogEntry[]> {
  const { rows } = await pool.query<{ seq: number; at: Date; name: LogEventName; data: string }>({
    name: 'read_log',
    text: `SELECT * FROM (
        (SELECT seq, at, name, data FROM job_event WHERE job_id = $1 AND seq > $4 ORDER BY seq LIMIT $5)
        UNION ALL
        (SELECT r.seq, r.settled_at AS at, 'tool_eval_result', ${RESULT_EVENT}
          FROM result r WHERE r.run_id = $2 AND r.generation = $3 AND r.seq > $4 ORDER BY r.seq LIMIT $5)
      ) log ORDER BY seq LIMIT $5`,
    values: [job.id, job.run_id, job.generation, afterSeq, limit],
  });
  return rows.map(parseLogEntry);
}

/** @throws SyntaxError when its data is not JSON */
export const parseLogEntry = ({
  data,
  ...row
}: {
  seq: number;
  at: Date;
  name: LogEventName;
  data: string;
}): LogEntry => ({ ...row, data: JSON.parse(data) as unknown }) as LogEntry;
