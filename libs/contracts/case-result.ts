import { z } from 'zod';
import { id, PageQuery, time } from './page.js';
import { Result } from './result.js';

export const CaseResult = z
  .object({
    run: z
      .object({
        id: id.meta({ description: 'The id of the run.' }),
        name: z.string().nullable().meta({ description: 'The name of the run; null when it has none.' }),
        created_at: time.meta({ description: 'When the run was submitted.' }),
        suite_version: z.int().meta({ description: 'The version of the suite that it ran.' }),
      })
      .meta({ description: 'The run.' }),
    result: Result.meta({
      description:
        'The result, without `evidence`, `metrics`, `tags` and `source`, and with the prompt cut after 200 characters.',
    }),
  })
  .meta({ id: 'CaseResult', description: 'A result of a case, with the run that it belongs to.' });
export type CaseResult = z.infer<typeof CaseResult>;

export const CaseResultsQuery = z.strictObject({
  ...PageQuery.shape,
  model: z.string().optional().meta({
    description: "Only results of this model: `provider_key::model_id`, or the model's id.",
    example: 'simulator::perfect-ish',
  }),
});
export type CaseResultsQuery = z.infer<typeof CaseResultsQuery>;
