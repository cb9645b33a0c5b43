import { z } from 'zod';
import { id } from './page.js';
import { SuiteFile } from './suite.js';

/** What a suite may be imported from. */
export const IMPORT_FORMATS = ['native', 'bfcl', 'chat-logs', 'promptfoo', 'otlp', 'langfuse', 'phoenix', 'csv', 'yaml', 'jsonl'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];
/** What a suite may be exported to. */
export const SUITE_EXPORT_FORMATS = ['json', 'csv', 'bfcl', 'jsonl', 'yaml'] as const;
export type SuiteExportFormat = (typeof SUITE_EXPORT_FORMATS)[number];

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
export const ImportQuery = z.strictObject({
  format: z.enum(IMPORT_FORMATS).default('native'),
  /** Shows what would be made; nothing is written. */
  dry_run: flag.default(false),
  /** Of the new suite, for formats that have none. */
  name: z.string().trim().min(1).max(200).optional(),
});
export type ImportQuery = z.infer<typeof ImportQuery>;

export const SuiteExportQuery = z.strictObject({
  format: z.enum(SUITE_EXPORT_FORMATS).default('json'),
  /** Of BFCL's two files. */
  part: z.enum(['all', 'questions', 'answers']).default('all'),
});
export type SuiteExportQuery = z.infer<typeof SuiteExportQuery>;

export const MAX_PREVIEW_CASES = 50;
/** What an import made; in a dry run what it would make: no `suite_id`, and the suite with its first cases. */
export const ImportAnswer = z
  .object({
    suite_id: id.nullable(),
    test_cases_created: z.int(),
    warnings: z.array(z.string()),
    dry_run: z.literal(true).optional(),
    preview: SuiteFile.optional(),
  })
  .meta({ id: 'ImportAnswer' });
export type ImportAnswer = z.infer<typeof ImportAnswer>;

/** A file in another format inside JSON, beside what the format itself cannot say. */
const MAY_STAND_BESIDE = ['name', 'description', 'system_prompt', 'pass_threshold', 'tools'];
/** Which of these a body is, `?format=` says. */
export const ImportBody = z.unknown().meta({
  oneOf: [
    { $ref: '#/components/schemas/SuiteFile' },
    {
      type: 'object',
      required: ['text'],
      description: `A file in another format as text (or its entries as a list), and what the format cannot say: ${MAY_STAND_BESIDE.join(', ')}; of BFCL also the text of its "possible_answers".`,
      properties: { text: { type: 'string' }, possible_answers: { type: 'string' }, name: { type: 'string' }, description: { type: 'string' }, system_prompt: { type: 'string' }, pass_threshold: { type: 'number' }, tools: { type: 'array', items: { $ref: '#/components/schemas/Tool' } } },
    },
    { type: 'string', description: 'The file itself, sent as text/plain, text/csv, application/yaml or application/x-ndjson' },
  ],
});
