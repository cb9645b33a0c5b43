import { z } from 'zod';
import { id } from './page.js';
import type { Job } from './job.js';
import type { Problem } from './problem.js';
import type { RunTarget } from './run.js';
import type { Summary } from './summary.js';

/** Events of a job's durable log; each has its `seq`, from 1 without gaps. */
export const DURABLE_EVENTS = [
  'job_created', 'tool_eval_init', 'tool_eval_result', 'eval_warning', 'tool_eval_summary', 'tool_eval_complete', 'job_completed', 'job_failed', 'job_cancelled',
] as const;
export type DurableName = (typeof DURABLE_EVENTS)[number];
/** What every socket gets of its team's jobs without asking. */
export const TEAM_EVENTS: readonly DurableName[] = ['job_created', 'job_completed', 'job_failed', 'job_cancelled'];
export const TERMINAL_EVENTS: readonly DurableName[] = ['job_completed', 'job_failed', 'job_cancelled'];

export interface Envelope<Data = Record<string, unknown>> {
  job_id: string;
  seq: number;
  /** ISO 8601, UTC */
  at: string;
  data: Data;
}
/** Many results in one message: `results` are the data of their events, in order. */
export interface ResultsBatch {
  job_id: string;
  from_seq: number;
  to_seq: number;
  results: (Record<string, unknown> & { seq: number; at: string })[];
}
/** `tool_eval_progress` and `job_progress`: where things stand; `seq` is the last durable event it includes. */
export interface Progress {
  job_id: string;
  seq: number;
  current: number;
  total: number;
  targets: RunTarget[];
}

export const Subscribe = z.object({ job_id: id, after_seq: z.int().min(0).optional() });
export const Unsubscribe = z.object({ job_id: id });
export type SubscribeAnswer =
  | { ok: true; snapshot: { job: Job; progress: Progress; summaries: Summary[]; last_seq: number }; truncated?: true; from_seq?: number }
  | { ok: false; error: Problem };
