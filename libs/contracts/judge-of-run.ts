import { z } from 'zod';
import { JUDGE_TIMES } from './values/judging.js';

export const judgeName = z
  .string()
  .min(1)
  .max(300)
  .describe('The model that judges: `provider_key::model_id`, or an id that one provider has. It must call tools.');

export const below = z.number().min(0).max(1);

/** The settings for judging a run automatically. */
export const JudgeOfRun = z
  .strictObject({
    judge: judgeName
      .nullable()
      .default(null)
      .describe(`${judgeName.meta()!.description} Null for the default judge of the team.`),
    when: z
      .enum(JUDGE_TIMES)
      .default('after')
      .describe('Whether results are judged while the run goes on (`inline`), or when it is done (`after`).'),
    below: below
      .default(1)
      .describe('Only results that did not pass and whose overall score is below this. 0 means none.'),
  })
  .describe('Has a model judge the results that did not pass, once per run. It changes no score.');
export type JudgeOfRun = z.infer<typeof JudgeOfRun>;
