import { z } from 'zod';
import { described, named } from './named.js';
import { id, PageQuery, time } from './page.js';
import { Result } from './result.js';

export const CaseResult = named('CaseResult', 'A result of a case, with the run that it belongs to.', {
  run: described('The run.', {
    id: id.describe('The id of the run.'),
    name: z.string().nullable().describe('The name of the run; null when it has none.'),
    created_at: time.describe('When the run was submitted.'),
    suite_version: z.int().describe('The version of the suite that it ran.'),
  }),
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
