import { z } from 'zod';
import { described } from './named.js';
import { BaselineComparison, DeltaObstacle } from './comparison.js';
import { Job, JobType } from './job.js';
import { count, event, share } from './event-shapes.js';
import { ORCHESTRATION_EVENTS, RESULTS } from './orchestration-kinds.js';
import { id, time } from './page.js';
import type { LogEventName } from './values/jobs.js';
import { Problem } from './input/problem-document.js';
import { Result } from './result.js';
import { RunTarget, RunWarning } from './run-target.js';
import { Summary } from './summary.js';

// `npm run docs` generates the tables of docs/live.md from these schemas.

const evalId = id.describe('The run.');
const resultRef = z
  .string()
  .describe(
    'The result of the job: for a `tool_eval` the `eval_id` of its run, for a `rescore` the `rescore_id`, ' +
      `${RESULTS.map(({ types, ref }) => `for a ${types.join(' or ')} the \`${ref}\``).join(', ')}.`,
  );
const seq = z.int().min(1).describe('The number of the event in the log of its job: from 1, without gaps.');
const at = time.describe('When it happened, by the clock of Postgres.');

/** The data of the events in a job's durable log, by name, in the order in which a run emits them. */
export const LOG_EVENTS = {
  job_created: event('A job was submitted. It is the first event of each job; a resumed run has a new job.', {
    type: JobType,
    status: z.literal('pending').describe('The status at that moment.'),
    result_ref: resultRef,
  }),
  tool_eval_init: event('The run begins: requests to its models start now.', {
    eval_id: evalId,
    targets: z
      .array(z.string())
      .describe('The models of the run, as `provider_key::model_id`. A resumed run names those that have items left.'),
    total_cases: count.describe(
      'How many results these models have at the end: cases times samples, summed over the models. A ' +
        'resumed run has some of them already.',
    ),
  }),
  eval_warning: event(
    'The run does something differently from what was requested. Each warning comes once in a log; ' +
      '`warnings` of the run keeps them.',
    {
      code: RunWarning.shape.code,
      message: z.string().describe('The warning, in a sentence.'),
    },
  ),
  tool_eval_result: event(
    'A model answered a case, or its request failed. The event leaves out requests and replies: ' +
      '`GET /api/tool-eval/history/{eval_id}/results/{id}` has them.',
    {
      eval_id: evalId,
      case_position: count.describe('The position of the case in the suite, from 0.'),
      ...Result.pick({
        id: true,
        target: true,
        sample: true,
        outcome: true,
        passed: true,
        tool_score: true,
        param_score: true,
        overall: true,
        error_type: true,
        format_compliance: true,
        latency_ms: true,
        cost_usd: true,
        cached: true,
        error: true,
      }).shape,
    },
  ).meta({ id: 'tool_eval_result' }),
  tool_eval_summary: event(
    'All results of a model are stored. A run that is cancelled, or stopped by its budget, ends without this event.',
    {
      eval_id: evalId,
      summary: Summary.describe('The figures of the model. They are final unless the run is resumed.'),
    },
  ),
  tool_eval_complete: event('All models are done. `job_completed` follows soon.', {
    eval_id: evalId,
    score: share.describe("The mean over its models' `overall`, 0 to 1; null when nothing was scored."),
    delta: z
      .number()
      .min(-1)
      .max(1)
      .nullable()
      .describe(
        'The score minus that of the baseline of its experiment, over the cases in common; null without a ' +
          'baseline, and where `differs` says why.',
      ),
    differs: z
      .array(DeltaObstacle)
      .optional()
      .describe('Why there is no delta. Left out without a baseline, and in logs of earlier releases.'),
    comparison: BaselineComparison.optional().describe(
      'The run against the baseline. Left out without one, and in logs of earlier releases.',
    ),
  }),
  experiment_best_updated: event('An experiment has another best run. Every socket of the team receives it.', {
    experiment_id: id.describe('The experiment.'),
    eval_id: id.nullable().describe('The run that is best now; null when none qualifies any more.'),
    score: share.describe('Its score, 0 to 1; null when there is none.'),
    previous: id.nullable().describe('The run that was best before; null when there was none.'),
  }),
  ...ORCHESTRATION_EVENTS,
  job_completed: event('The job has ended. No event follows.', {
    status: z
      .enum(['completed', 'budget_exceeded'])
      .describe('`budget_exceeded` means that the run stopped because its budget, or the cap of the team, is spent.'),
    result_ref: resultRef,
    detail: z.string().optional().describe('The limit that is spent; left out when the run is completed.'),
  }),
  job_failed: event(
    'The job could not be carried out. No event follows. A run whose results all errored is completed nevertheless.',
    {
      status: z.literal('failed').describe('The status of the job.'),
      result_ref: resultRef,
      error: z.string().describe('The reason, and what helps.'),
    },
  ),
  job_cancelled: event('Somebody cancelled the job. No event follows. The results so far are kept.', {
    status: z.literal('cancelled').describe('The status of the job.'),
    result_ref: resultRef,
  }),
} satisfies Record<LogEventName, z.ZodType>;
export type LogEventData<Name extends LogEventName> = z.infer<(typeof LOG_EVENTS)[Name]>;
/** An event before it gets its place in a log. */
export type LogEvent = { [Name in LogEventName]: { name: Name; data: LogEventData<Name> } }[LogEventName];

const jobId = id.describe('The job.');
/** The message that carries an event of a log. */
export const Envelope = z.object({
  job_id: jobId,
  seq,
  at,
  data: z.looseObject({}).describe('The data of the event; see below, by name.'),
});
export type Envelope<Name extends LogEventName = LogEventName> = Omit<z.infer<typeof Envelope>, 'data'> & {
  data: LogEventData<Name>;
};

const included = count.describe('The number of the last event of the log that is included; 0 before the first.');
const progress = event('The progress of a run.', {
  job_id: jobId,
  seq: included,
  current: count.describe(
    'Results so far, scored or errored, of the whole run. They include those from before it was resumed.',
  ),
  total: count.describe('Results that the run has at the end.'),
  targets: z.array(RunTarget).describe('Each model of the run; empty for a rescore.'),
}).meta({ id: 'tool_eval_progress' });
export type Progress = z.infer<typeof progress>;

/** The messages that are not events of a log. */
export const LIVE_MESSAGES = {
  tool_eval_results: event('Many consecutive results, in one message.', {
    job_id: jobId,
    from_seq: seq.describe('The number of the first event.'),
    to_seq: seq.describe('The number of the last event.'),
    results: z
      .array(LOG_EVENTS.tool_eval_result.and(z.object({ seq, at })))
      .describe('The data of their `tool_eval_result` events, in order, with one more field:'),
  }),
  tool_eval_progress: progress,
  job_progress: event('The progress of a job. For a resumed run, it counts only the items of this job.', {
    job_id: jobId,
    seq: included,
    done: count.describe('Results that the job has made so far.'),
    total: count.describe('Results that the job has at the end.'),
    percent: z.number().min(0).max(100).describe('The share that is done, 0 to 100.'),
  }),
};
export type LiveMessageName = keyof typeof LIVE_MESSAGES;
export type LiveMessage<Name extends LiveMessageName> = z.infer<(typeof LIVE_MESSAGES)[Name]>;
/** Every message that a server sends on its own. */
export type ServerMessage =
  | { [Name in LogEventName]: [name: Name, message: Envelope<Name>] }[LogEventName]
  | { [Name in LiveMessageName]: [name: Name, message: LiveMessage<Name>] }[LiveMessageName];

export const Subscribe = z.strictObject({
  job_id: id.describe('The job to follow.'),
  after_seq: count
    .optional()
    .describe(
      'The number of the last event of its log that you have. You receive all events after it, in ' +
        'order. 0 starts from the beginning. If left out, you receive only new events.',
    ),
  batch: z
    .boolean()
    .default(true)
    .describe(
      'Whether results may come together, as `tool_eval_results`. With `false`, each comes as its ' +
        'own `tool_eval_result`, however fast they come.',
    ),
});
export type Subscribe = z.infer<typeof Subscribe>;
export const Unsubscribe = z.strictObject({ job_id: id.describe('The job to stop following.') });

const ok = z.literal(true).describe('The subscription was changed as asked.');
export const Subscribed = z.object({
  ok,
  snapshot: described('The current state. Later events build on it.', {
    job: Job.describe('The current state of the job.'),
    progress: progress.describe('For a rescore, it has what was scored and no targets.'),
    summaries: z.array(Summary).describe('The summaries of the models that are done.'),
    last_seq: count.describe('The number of the last event of its log.'),
  }),
  truncated: z
    .literal(true)
    .optional()
    .describe(
      'You missed more than 10,000 events, so they are not sent. Read the results over HTTP. Left out otherwise.',
    ),
  from_seq: z.int().optional().describe('Comes with `truncated`. You receive the events after this one.'),
});
export const Unsubscribed = z.object({ ok });
export const Refused = z.object({
  ok: z.literal(false).describe('Nothing was changed.'),
  error: Problem.describe('The reason, and what helps.'),
});
export type SubscribeAnswer = z.infer<typeof Subscribed> | z.infer<typeof Refused>;
