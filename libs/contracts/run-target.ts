import { z } from 'zod';
import { time } from './page.js';

export const RunTarget = z.object({
  target: z.string().meta({ description: 'The model, as `provider_key::model_id`.' }),
  provider_key: z.string().meta({ description: 'The `key` of the provider.' }),
  model_id: z.string().meta({ description: 'The id of the model at the provider.' }),
  total: z.int().meta({ description: 'Items of this target: cases times samples.' }),
  settled: z.int().meta({ description: 'Items that have a result, scored or errored.' }),
  errored: z.int().meta({ description: 'Items that errored. They have no score and are in no average.' }),
  passed: z.int().meta({ description: 'Items that passed.' }),
  recorded: z
    .literal(true)
    .optional()
    .meta({
      description:
        'True if the replies were made elsewhere (`POST /api/tool-eval/recorded`). Left out where a ' +
        'model was asked.',
      example: true,
    }),
});
export type RunTarget = z.infer<typeof RunTarget>;

export const RunWarning = z
  .object({
    code: z.string().meta({
      description: 'What was changed, and for which model. Each warning comes once in a run.',
      examples: ['tool_choice:openai::gpt-x'],
    }),
    message: z.string().nullable().meta({
      description: 'The warning, in a sentence. Null for warnings of an earlier release, which did not keep it.',
    }),
    at: time
      .nullable()
      .meta({ description: 'When it first happened. Null for warnings of an earlier release, which did not keep it.' }),
  })
  .meta({ id: 'RunWarning', description: 'Something that the run did differently from what was requested.' });
export type RunWarning = z.infer<typeof RunWarning>;
