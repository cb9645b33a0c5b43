import { z } from 'zod';
import { named } from './named.js';
import { time } from './page.js';

export const RunTarget = z.object({
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  provider_key: z.string().describe('The `key` of the provider.'),
  model_id: z.string().describe('The id of the model at the provider.'),
  total: z.int().describe('Items of this target: cases times samples.'),
  settled: z.int().describe('Items that have a result, scored or errored.'),
  errored: z.int().describe('Items that errored. They have no score and are in no average.'),
  passed: z.int().describe('Items that passed.'),
  recorded: z.literal(true).optional().meta({
    description:
      'True if the replies were made elsewhere (`POST /api/tool-eval/recorded`). Left out where a model was asked.',
    example: true,
  }),
});
export type RunTarget = z.infer<typeof RunTarget>;

export const RunWarning = named('RunWarning', 'Something that the run did differently from what was requested.', {
  code: z.string().meta({
    description: 'What was changed, and for which model. Each warning comes once in a run.',
    examples: ['tool_choice:openai::gpt-x'],
  }),
  message: z
    .string()
    .nullable()
    .describe('The warning, in a sentence. Null for warnings of an earlier release, which did not keep it.'),
  at: time
    .nullable()
    .describe('When it first happened. Null for warnings of an earlier release, which did not keep it.'),
});
export type RunWarning = z.infer<typeof RunWarning>;
