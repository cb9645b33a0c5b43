import { z } from 'zod';
import { id } from '#lib/contracts/page';

export const ARM_STATES = ['waiting', 'running', 'dropped', 'finalist', 'recommended'] as const;

export const TUNE_OUTCOMES = ['confirmed', 'not_confirmed', 'worse', 'unconfirmed', 'base'] as const;
export type TuneOutcome = (typeof TUNE_OUTCOMES)[number];

/** The summary of one model of a tune, for views that show the tune among others. */
export const TunedTarget = z.object({
  target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
  recommended: z.int().nullable().meta({ description: 'The number of the recommended arm; null when there is none.' }),
  outcome: z.enum(TUNE_OUTCOMES).nullable().meta({ description: 'The outcome on the held-out cases.' }),
  difference: z.number().nullable().meta({ description: 'The difference from the base on the held-out cases.' }),
  ci: z.tuple([z.number(), z.number()]).nullable().meta({ description: 'The 95 % interval of the difference.' }),
});
export type TunedTarget = z.infer<typeof TunedTarget>;

export const PROMPT_TUNE_OUTCOMES = ['confirmed', 'not_confirmed', 'worse', 'unconfirmed'] as const;
export type PromptTuneOutcome = (typeof PROMPT_TUNE_OUTCOMES)[number];

/** The summary of a prompt tune, for views that show it as one event among others. */
export const TunedPrompt = z.object({
  best: z.int().nullable().meta({ description: 'The number of the best candidate; null when there is none.' }),
  outcome: z.enum(PROMPT_TUNE_OUTCOMES).nullable().meta({ description: 'The outcome on the held-out cases.' }),
  difference: z.number().nullable().meta({ description: 'The difference from the base on the held-out cases.' }),
  ci: z.tuple([z.number(), z.number()]).nullable().meta({ description: 'The 95 % interval of the difference.' }),
  prompt_version_id: id.nullable().meta({ description: 'The prompt version with its texts.' }),
});
export type TunedPrompt = z.infer<typeof TunedPrompt>;
