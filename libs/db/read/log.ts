import type { LogEvent, LogEventData, LogEventName } from '#lib/contracts/event';
import type { Summary } from '#lib/contracts/summary';
import type { RunTarget } from '#lib/contracts/run';
import type { Pool } from '../connection/pool.js';
import { summaryOf } from './summaries.js';

export type LogEntry = LogEvent & { seq: number; at: Date };

/** A job as its watchers follow it. `run_id` and `generation` say where its results are. */
export interface WatchedJob {
  id: string;
  team_id: string;
  last_seq: number;
  done: number;
  total: number;
  run_id: string | null;
  generation: number | null;
}

export async function watchedJobs(pool: Pool, ids: readonly string[]): Promise<WatchedJob[]> {
  const { rows } = await pool.query<WatchedJob>(
    `SELECT j.id, j.team_id, j.last_seq, j.done, j.total, r.id AS run_id, j.generation FROM job j LEFT
      JOIN run r ON j.type = 'tool_eval' AND r.id = j.result_ref::uuid WHERE j.id = ANY ($1)`,
    [ids],
  );
  return rows;
}

/** SQL of what `tool_eval_result` says of a row `r` of `result`. */
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
/** All of it, as text. */
export const RESULT_EVENT = `json_build_object(${Object.entries(RESULT_FIELDS)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})::text`;

/**
 * The durable log of a job after a number, in order, at most `limit` entries: the events that were written, and the
 * results, which carry their numbers themselves. Results say their scores, not the exchange.
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
  return rows.map(parsed);
}

/** @throws SyntaxError when its data cannot be read */
export const parsed = ({ data, ...row }: { seq: number; at: Date; name: LogEventName; data: string }): LogEntry =>
  ({ ...row, data: JSON.parse(data) as unknown }) as LogEntry;

/** An event whose data are still text: who reads on for several teams wants to know which of them cannot be read. */
export interface TeamEvent {
  job_id: string;
  team_id: string;
  seq: number;
  at: Date;
  name: LogEventName;
  data: string;
}

/** Far more than a team can follow; it is told the rest when the first ones have left the window. */
const MOST_OF_A_TEAM = 1000;

/**
 * What these teams are told without asking, of the last seconds by the clock of Postgres, in order. However much
 * one team does, the others get theirs.
 */
export async function teamEvents(
  pool: Pool,
  teamIds: readonly string[],
  lastSeconds: number,
  names: readonly LogEventName[],
): Promise<TeamEvent[]> {
  const { rows } = await pool.query<TeamEvent>(
    `SELECT job_id, team_id, seq, at, name, data FROM (
       SELECT e.job_id, j.team_id, e.seq, e.at, e.name, e.data,
         row_number() OVER (PARTITION BY j.team_id ORDER BY e.at, e.job_id, e.seq) AS place
       FROM job_event e JOIN job j ON j.id = e.job_id
       WHERE e.at > now() - make_interval(secs => $2) AND e.name = ANY ($3) AND j.team_id = ANY ($1)
     ) event WHERE place <= $4 ORDER BY at, job_id, seq`,
    [teamIds, lastSeconds, names, MOST_OF_A_TEAM],
  );
  return rows;
}

/** Where a run stands: its targets with their counters, and the summaries that are final. */
export async function readProgress(
  pool: Pool,
  runId: string | null,
): Promise<{ targets: RunTarget[]; summaries: Summary[] }> {
  if (runId === null) return { targets: [], summaries: [] };
  const { rows } = await pool.query<Omit<RunTarget, 'recorded'> & { recorded: boolean; summary: string | null }>(
    `SELECT provider_key || '::' || model_id AS target, provider_key, model_id, n AS total, settled, errored,
      passed, recorded, summary FROM target WHERE run_id = $1 ORDER BY ordinal`,
    [runId],
  );
  return {
    targets: rows.map(({ summary: _summary, recorded, ...target }) => ({ ...target, ...(recorded && { recorded }) })),
    summaries: rows.flatMap(({ summary }) => (summary ? [summaryOf(summary)] : [])),
  };
}
