import { z } from 'zod';
import { count, event, share } from '#lib/contracts/event-shapes';
import { id } from '#lib/contracts/page';
import { ARM_STATES, TunedPrompt, TunedTarget } from './contract.js';

const tuneId = id.describe('The tune.');

/** Common to both kinds of tunes. */
export const TUNE = {
  result: 'tune',
  ref: 'tune_id',
  events: {
    tune_start: event('A tune starts: its first runs are created.', {
      tune_id: tuneId,
      kind: z.enum(['param_tune', 'prompt_tune']).describe('Whether parameters or prompts are tuned.'),
      targets: z.array(z.string()).describe('The models, as `provider_key::model_id`.'),
      arms: count.optional().describe('Number of combinations of all models whose requests differ. Not for prompts.'),
      population: count.optional().describe('Number of texts written at once. Only for prompts.'),
      cases: z
        .object({ tuning: count, select: count.optional(), holdout: count })
        .describe('How the cases were divided. `select`, only for prompts: the tuning cases used to choose.'),
      planned_requests: count.describe('Planned number of requests.'),
    }),
    tune_combo_result: event('An arm of a tune was measured on some cases, or on more than before.', {
      tune_id: tuneId,
      arm: count.describe('Its number among the arms of its model; 0 is the base.'),
      target: z.string().describe('The model, as `provider_key::model_id`.'),
      config: z.looseObject({}).describe('The values of its parameters.'),
      rung: z.string().describe('The part of the search in which it was measured.'),
      cases: count.describe('Its cases with a score, so far.'),
      mean: share.describe('The mean of the measure over them, 0 to 1; null when none has a score.'),
      ci: z.tuple([z.number(), z.number()]).nullable().describe('Its 95 % interval.'),
      cost_usd: z.number().nullable().describe('US dollars, so far; null without prices.'),
      latency_ms: z.number().nullable().describe('Median latency.'),
      state: z.enum(ARM_STATES).describe('How far it got.'),
    }),
    tune_generation: event('A prompt tune has finished a generation or a reflection step.', {
      tune_id: tuneId,
      iteration: count.describe('Its number, from 1.'),
      accepted: z.array(count).describe('New candidates with scores.'),
      rejected: z.array(count).describe('New candidates that were rejected.'),
      front: z.array(count).describe('The candidates that are best on some case.'),
      best: z
        .object({ id: count, score: share })
        .describe('The best candidate so far, and its mean on the selection cases.'),
    }),
    tune_complete: event('A tune has ended, with its result. `job_completed` follows soon.', {
      tune_id: tuneId,
      targets: z
        .array(TunedTarget)
        .describe(
          'For each model, the recommended arm and how it compares with the base on the held-out cases. Empty for ' +
            'prompts.',
        ),
      prompt: TunedPrompt.optional().describe('The best candidate of a prompt tune. Not for parameter tunes.'),
      promoted_eval_id: id.nullable().describe('The run of the winner in the experiment; null for none.'),
    }),
  },
} as const;
