export const UNFINISHED_STATUSES = ['pending', 'queued', 'running'] as const;
export const ENDED_STATUSES = ['completed', 'failed', 'cancelled', 'budget_exceeded'] as const;
export const JOB_STATUSES = [...UNFINISHED_STATUSES, ...ENDED_STATUSES] as const;
export const isFinished = (status: (typeof JOB_STATUSES)[number]): boolean =>
  (ENDED_STATUSES as readonly string[]).includes(status);

/** The types of jobs that create runs. The API and the documents list them in this order. */
export const ORCHESTRATION_TYPES = ['gate', 'param_tune', 'prompt_tune', 'judge'] as const;
export type OrchestrationType = (typeof ORCHESTRATION_TYPES)[number];
export const JOB_TYPES = ['tool_eval', 'rescore', ...ORCHESTRATION_TYPES] as const;

/** Queue positions are counted up to this number. */
export const MAX_POSITION = 1000;

/** The start of a job's detail when no running worker can take it. */
export const NO_WORKER = 'No running worker';

/** How spending can be grouped. */
export const SPENDING_BY = ['day', 'model', 'suite', 'person'] as const;

export const TERMINAL_EVENTS = ['job_completed', 'job_failed', 'job_cancelled'] as const;
/** The events in a job's durable log. */
export const LOG_EVENT_NAMES = [
  'job_created',
  'tool_eval_init',
  'eval_warning',
  'tool_eval_result',
  'tool_eval_summary',
  'tool_eval_complete',
  'experiment_best_updated',
  'gate_look',
  'gate_complete',
  'tune_start',
  'tune_combo_result',
  'tune_generation',
  'tune_complete',
  'judge_start',
  'judge_verdict',
  'judge_complete',
  ...TERMINAL_EVENTS,
] as const;
export type LogEventName = (typeof LOG_EVENT_NAMES)[number];
/** The events that every socket of a team receives without subscribing. */
export const TEAM_EVENTS: readonly LogEventName[] = ['job_created', 'experiment_best_updated', ...TERMINAL_EVENTS];
