export const UNFINISHED_STATUSES = ['pending', 'queued', 'running'] as const;
export const ENDED_STATUSES = ['completed', 'failed', 'cancelled', 'budget_exceeded'] as const;
export const JOB_STATUSES = [...UNFINISHED_STATUSES, ...ENDED_STATUSES] as const;
export const isFinished = (status: (typeof JOB_STATUSES)[number]): boolean =>
  !(UNFINISHED_STATUSES as readonly string[]).includes(status);

const TUNE_EVENTS = ['tune_start', 'tune_combo_result', 'tune_generation', 'tune_complete'] as const;
/**
 * The jobs that create runs, by type: the name of the result on the page, what the job is for the API's document, and
 * the events of its log. The API and the documents list them in this order.
 */
export const ORCHESTRATIONS = {
  gate: { title: 'Gate run', meaning: 'a gate run', events: ['gate_look', 'gate_complete'] },
  param_tune: { title: 'Parameter tune', meaning: 'a tune of parameters', events: TUNE_EVENTS },
  prompt_tune: { title: 'Prompt tune', meaning: 'a tune of prompts', events: TUNE_EVENTS },
  judge: {
    title: 'Judge report',
    meaning: 'a report of a judge',
    events: ['judge_start', 'judge_verdict', 'judge_complete'],
  },
} as const satisfies Record<string, { title: string; meaning: string; events: readonly string[] }>;
export type OrchestrationType = keyof typeof ORCHESTRATIONS;
export const ORCHESTRATION_TYPES = Object.keys(ORCHESTRATIONS) as OrchestrationType[];
export const JOB_TYPES = ['tool_eval', 'rescore', ...ORCHESTRATION_TYPES] as const;

/** Queue positions are counted up to this number. */
export const MAX_POSITION = 1000;

/** The start of a job's detail when no running worker can take it. */
export const NO_WORKER = 'No running worker';

/** Prefix of the detail of a job that waits for a provider. */
export const WAITING_FOR = 'Waiting for ';

/** What may keep the items of a running job from starting. */
export const BLOCKED_REASONS = ['paused', 'provider', 'no_worker'] as const;

/** The orders of the list of jobs. */
export const JOB_ORDERS = ['newest', 'queue'] as const;

/** How spending can be grouped. */
export const SPENDING_BY = ['day', 'model', 'provider', 'suite', 'person'] as const;

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
  ...new Set(Object.values(ORCHESTRATIONS).flatMap(({ events }) => [...events])),
  ...TERMINAL_EVENTS,
] as const;
export type LogEventName = (typeof LOG_EVENT_NAMES)[number];
/** The events that every socket of a team receives without subscribing. */
export const TEAM_EVENTS: readonly LogEventName[] = ['job_created', 'experiment_best_updated', ...TERMINAL_EVENTS];
