import { z } from 'zod';
import { Margin } from '#lib/contracts/comparison';
import { JobStatus } from '#lib/contracts/job-status';
import { namedInput } from '#lib/contracts/named';
import { noteFields } from '#lib/contracts/note';
import { id, time } from '#lib/contracts/page';
import { DEFAULT_MARGIN } from '#lib/contracts/values/comparison';
import { TUNE_MEASURES } from '#lib/contracts/values/tunes';

export const ARM_STATES = ['waiting', 'running', 'dropped', 'finalist', 'recommended'] as const;

export const TUNE_OUTCOMES = ['confirmed', 'not_confirmed', 'worse', 'unconfirmed', 'base'] as const;
export type TuneOutcome = (typeof TUNE_OUTCOMES)[number];

/** The summary of one model of a tune, for views that show the tune among others. */
export const TunedTarget = z.object({
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  recommended: z.int().nullable().describe('The number of the recommended arm; null when there is none.'),
  outcome: z.enum(TUNE_OUTCOMES).nullable().describe('The outcome on the held-out cases.'),
  difference: z.number().nullable().describe('The difference from the base on the held-out cases.'),
  ci: z.tuple([z.number(), z.number()]).nullable().describe('The 95 % interval of the difference.'),
});
export type TunedTarget = z.infer<typeof TunedTarget>;

export const PROMPT_TUNE_OUTCOMES = ['confirmed', 'not_confirmed', 'worse', 'unconfirmed'] as const;
export type PromptTuneOutcome = (typeof PROMPT_TUNE_OUTCOMES)[number];

/** The summary of a prompt tune, for views that show it as one event among others. */
export const TunedPrompt = z.object({
  best: z.int().nullable().describe('The number of the best candidate; null when there is none.'),
  outcome: z.enum(PROMPT_TUNE_OUTCOMES).nullable().describe('The outcome on the held-out cases.'),
  difference: z.number().nullable().describe('The difference from the base on the held-out cases.'),
  ci: z.tuple([z.number(), z.number()]).nullable().describe('The 95 % interval of the difference.'),
  prompt_version_id: id.nullable().describe('The prompt version with its texts.'),
});
export type TunedPrompt = z.infer<typeof TunedPrompt>;

/** Settings of every tune. */
export const TUNE_SETTINGS = {
  holdout: z.number().min(0).max(0.9).default(0.3),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(1)
    .describe('Seed of all random draws.'),
  measure: z.enum(TUNE_MEASURES).default('overall').describe('The measure to maximise.'),
  margin: Margin.default(DEFAULT_MARGIN),
  samples: z.int().min(1).max(20).default(1),
};

const name = z.string().trim().min(1).max(200).nullable();
/** The name of a new tune. */
export const TuneName = name.default(null).describe('A display name; null for none. It can be changed later.');

export const TuneLabels = namedInput('TuneLabels', 'The name of a tune.', {
  name: name.describe('The new name; null removes it.'),
});
export type TuneLabels = z.infer<typeof TuneLabels>;

/** The first fields of a tune. */
export const tuneHead = <Input extends z.ZodType>(input: Input) => ({
  id: id.describe('The id of the tune.'),
  job_id: id.describe('Its job. After a resume, the new one.'),
  status: JobStatus,
  name: name.describe('Its display name; null for none.'),
  suite_id: id.nullable().describe('Its suite; null when that was deleted.'),
  suite_name: z.string().describe('The name that the suite had.'),
  suite_version: z.int().describe('The suite version of all its runs.'),
  experiment_id: id.nullable().describe('The experiment that the winner is promoted into; null for none.'),
  input: input.describe('The request, with defaults filled in.'),
  step: z.string().describe('The current phase: `search`, `holdout`, `promote`, or `done`.'),
});

/** The last fields of a tune. */
export const TUNE_TAIL = {
  ...noteFields('Notes on how far to trust the figures.'),
  created_at: time.describe('When it was submitted.'),
  finished_at: time.nullable().describe('When it ended; null until then.'),
};

export const TuneSubmitted = z.object({
  job_id: id.describe('The job of the tune.'),
  tune_id: id.describe('The id of the tune.'),
  status: z.literal('submitted').describe('Always `submitted`. The job has the current status.'),
});
