import { z } from 'zod';
import { Job, JobType } from './job.js';
import { id, time } from './page.js';
import { Problem } from './input/problem.js';
import { Result } from './result.js';
import { RunTarget, RunWarning } from './run.js';
import { Summary } from './summary.js';

// `npm run docs:live` generates the tables of docs/live.md from these schemas.

const event = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z.object(shape).describe(description);

const evalId = id.describe('The run.');
const resultRef = z
  .string()
  .describe('What the job makes: for a `tool_eval` the `eval_id` of its run, for a `rescore` the `rescore_id`.');
const share = z.number().min(0).max(1).nullable();
const count = z.int().min(0);
const seq = z.int().min(1).describe('Its number in the log of its job: from 1, without gaps.');
const at = time.describe('When it happened, by the clock of Postgres.');

/** The data of the events in a job's durable log, by name, in the order in which they occur in a run. */
export const LOG_EVENTS = {
  job_created: event('A job was submitted. It is the first event of each job; a resumed run has a new job.', {
    type: JobType,
    status: z.literal('pending').describe('Its status just then.'),
    result_ref: resultRef,
  }),
  tool_eval_init: event('The run begins: its models are asked from now on.', {
    eval_id: evalId,
    targets: z
      .array(z.string())
      .describe(
        'The models that are asked, as `provider_key::model_id`. A resumed run names those that have something left.',
      ),
    total_cases: count.describe(
      'Results that these models have in the end: cases times samples, summed over them. A resumed ' +
        'run has some of them already.',
    ),
  }),
  eval_warning: event(
    'Something is done differently than asked. Each warning comes once in a log; `warnings` of the run keeps them.',
    {
      code: RunWarning.shape.code,
      message: z.string().describe('A sentence that says it.'),
    },
  ),
  tool_eval_result: event(
    'A model answered a case, or could not be asked. Requests and replies are left out: `GET ' +
      '/api/tool-eval/history/{eval_id}/results/{id}` has them.',
    {
      eval_id: evalId,
      case_position: count.describe('The place of the case in the suite, from 0.'),
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
    'All results of a model are there. A run that is cancelled, or stopped by its budget, ends without these.',
    {
      eval_id: evalId,
      summary: Summary.describe('Its figures, final unless the run is resumed.'),
    },
  ),
  tool_eval_complete: event('All models are through; `job_completed` follows at once.', {
    eval_id: evalId,
    score: share.describe("The mean over its models' `overall`, 0 to 1; null when nothing was scored."),
    delta: z
      .number()
      .min(-1)
      .max(1)
      .nullable()
      .describe('The score less the one of the baseline of its experiment; null without a baseline.'),
  }),
  job_completed: event('The job has ended; nothing follows.', {
    status: z
      .enum(['completed', 'budget_exceeded'])
      .describe('`budget_exceeded`: the run was stopped since its budget, or the cap of the team, is spent.'),
    result_ref: resultRef,
    detail: z.string().optional().describe('What is spent; left out when the run is completed.'),
  }),
  job_failed: event(
    'The job could not be carried out; nothing follows. A run whose every result errored is completed all the same.',
    {
      status: z.literal('failed').describe('Its status.'),
      result_ref: resultRef,
      error: z.string().describe('Why, and what helps.'),
    },
  ),
  job_cancelled: event('Somebody cancelled the job; nothing follows. The results until then are kept.', {
    status: z.literal('cancelled').describe('Its status.'),
    result_ref: resultRef,
  }),
};
export type LogEventName = keyof typeof LOG_EVENTS;
export type LogEventData<Name extends LogEventName> = z.infer<(typeof LOG_EVENTS)[Name]>;
/** An event before it gets its place in a log. */
export type LogEvent = { [Name in LogEventName]: { name: Name; data: LogEventData<Name> } }[LogEventName];

export const LOG_EVENT_NAMES = Object.keys(LOG_EVENTS) as LogEventName[];
export const TERMINAL_EVENTS: readonly LogEventName[] = ['job_completed', 'job_failed', 'job_cancelled'];
/** The events that every socket of a team receives without subscribing. */
export const TEAM_EVENTS: readonly LogEventName[] = ['job_created', ...TERMINAL_EVENTS];

const jobId = id.describe('The job.');
/** The message that carries an event of a log. */
export const Envelope = z.object({
  job_id: jobId,
  seq,
  at,
  data: z.looseObject({}).describe('What the event says; below, by name.'),
});
export type Envelope<Name extends LogEventName = LogEventName> = Omit<z.infer<typeof Envelope>, 'data'> & {
  data: LogEventData<Name>;
};

const included = count.describe('The last event of the log that is included; 0 before the first.');
const progress = event('Where a run stands.', {
  job_id: jobId,
  seq: included,
  current: count.describe(
    'Results that are there, scored or errored, of the whole run: also those from before it was resumed.',
  ),
  total: count.describe('Results that the run has in the end.'),
  targets: z.array(RunTarget).describe('Each model of the run; none for a rescore.'),
}).meta({ id: 'tool_eval_progress' });
export type Progress = z.infer<typeof progress>;

/** The messages that are not events of a log. */
export const LIVE_MESSAGES = {
  tool_eval_results: event('Many results in a row, in one message.', {
    job_id: jobId,
    from_seq: seq.describe('The number of the first.'),
    to_seq: seq.describe('The number of the last.'),
    results: z
      .array(LOG_EVENTS.tool_eval_result.and(z.object({ seq, at })))
      .describe('What their `tool_eval_result` say, in order, and beside it:'),
  }),
  tool_eval_progress: progress,
  job_progress: event('Where a job stands. Of a resumed run, it counts only what the job has to do.', {
    job_id: jobId,
    seq: included,
    done: count.describe('Results that the job has made.'),
    total: count.describe('Results that it is to make.'),
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
      'The last event of its log that you have: all that follow are sent, in order. 0: from the ' +
        'beginning. Left out: only what happens from now on.',
    ),
  batch: z
    .boolean()
    .default(true)
    .describe(
      'Whether results may come together, as `tool_eval_results`. With `false` each is a ' +
        '`tool_eval_result` of its own, however fast they come.',
    ),
});
export type Subscribe = z.infer<typeof Subscribe>;
export const Unsubscribe = z.strictObject({ job_id: id.describe('The job to follow no longer.') });

const ok = z.literal(true).describe('It is done.');
export const Subscribed = z.object({
  ok,
  snapshot: z
    .object({
      job: Job.describe('The job as it is now.'),
      progress: progress.describe('For a rescore, what it has scored and no targets.'),
      summaries: z.array(Summary).describe('Of models that are through.'),
      last_seq: count.describe('The number of the last event of its log.'),
    })
    .describe('Where things stand. What is sent from now on comes on top of it.'),
  truncated: z
    .literal(true)
    .optional()
    .describe('You missed more than 10,000 events: they are not sent. Read the results over HTTP. Left out otherwise.'),
  from_seq: z.int().optional().describe('With `truncated`: events after this one are sent.'),
});
export const Unsubscribed = z.object({ ok });
export const Refused = z.object({
  ok: z.literal(false).describe('Nothing is changed.'),
  error: Problem.describe('Why, and what helps.'),
});
export type SubscribeAnswer = z.infer<typeof Subscribed> | z.infer<typeof Refused>;
