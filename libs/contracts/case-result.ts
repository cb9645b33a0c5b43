import { z } from 'zod';
import { described, named } from './named.js';
import { id, PageQuery, time } from './page.js';
import { Result } from './result.js';

const runFields = {
  id: id.describe('The id of the run.'),
  name: z.string().nullable().describe('The name of the run; null when it has none.'),
  created_at: time.describe('When the run was submitted.'),
  suite_version: z.int().describe('The version of the suite that it ran.'),
};

export const CaseResult = named('CaseResult', 'A result of a case, with the run that it belongs to.', {
  run: described('The run.', runFields),
  result: Result.describe(
    'The result, without `evidence`, `metrics`, `tags` and `source`, and with the prompt cut after 200 characters.',
  ),
});
export type CaseResult = z.infer<typeof CaseResult>;

export const CaseResultsQuery = z.strictObject({
  ...PageQuery.shape,
  model: z.string().optional().meta({
    description: "Only results of this model: `provider_key::model_id`, or the model's id.",
    example: 'simulator::perfect-ish',
  }),
});
export type CaseResultsQuery = z.infer<typeof CaseResultsQuery>;

export const CaseVerdict = named('CaseVerdict', 'How often a model passed a case in one run.', {
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  scored: z.int().describe('How many samples the model answered.'),
  passed: z.int().describe('How many of these passed.'),
  errored: z.int().describe('How many samples got no answer.'),
  result_id: z
    .string()
    .describe('The result to show: the first sample that did not pass; else the first that passed, or is errored.'),
});
export type CaseVerdict = z.infer<typeof CaseVerdict>;

export const CaseVerdicts = named('CaseVerdicts', 'The verdicts on a case in the newest runs of its suite.', {
  runs: z
    .array(
      z.object({
        ...runFields,
        verdicts: z.array(CaseVerdict).describe('One for each model that has results of the case.'),
      }),
    )
    .describe('The runs that took the case, the newest first.'),
  left_out: z.int().describe('How many further runs of the suite took the case. They are counted up to 1,000.'),
});
export type CaseVerdicts = z.infer<typeof CaseVerdicts>;

export const CaseVerdictsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(50).default(20).describe('The maximum number of runs.'),
  eval_id: id.optional().meta({
    description: 'A run to include even if it is older than the newest ones: it then takes the place of the last.',
    example: '019aa8a2-5c1e-7000-8000-000000000031',
  }),
});
export type CaseVerdictsQuery = z.infer<typeof CaseVerdictsQuery>;
