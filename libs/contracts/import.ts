import { z } from 'zod';
import { named } from './named.js';
import { flag, id } from './page.js';
import { SuiteFile } from './suite.js';
import { IMPORT_FORMATS, SUITE_EXPORT_FORMATS } from './values/suites.js';

export type ImportFormat = (typeof IMPORT_FORMATS)[number];
export type SuiteExportFormat = (typeof SUITE_EXPORT_FORMATS)[number];

export const ImportQuery = z.strictObject({
  format: z
    .enum(IMPORT_FORMATS)
    .default('native')
    .describe('The format of the body: a suite as in the API (`native`), or a file of another format.'),
  dry_run: flag.describe('With `true`, the response shows what the import would create, and nothing is written.'),
  name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The name of the new suite, for formats that have none.', example: 'Weather' }),
});
export type ImportQuery = z.infer<typeof ImportQuery>;

export const CsvMark = flag.describe(
  'For `csv`: starts the file with a byte order mark, so that Excel reads it as UTF-8.',
);

export const SuiteExportQuery = z.strictObject({
  format: z
    .enum(SUITE_EXPORT_FORMATS)
    .default('json')
    .describe('The format of the export. All formats but `bfcl` can be imported again without loss.'),
  part: z
    .enum(['all', 'questions', 'answers'])
    .default('all')
    .describe('For `bfcl`, which has two files: the questions, the possible answers, or both in one.'),
  bom: CsvMark,
});
export type SuiteExportQuery = z.infer<typeof SuiteExportQuery>;

export const MAX_PREVIEW_CASES = 50;
export const ImportAnswer = named('ImportAnswer', 'The result of an import, or of a dry run.', {
  suite_id: id.nullable().describe('The suite that was created; null in a dry run.'),
  test_cases_created: z.int().describe('How many cases the suite has.'),
  warnings: z
    .array(z.string())
    .describe('What the file says that a case cannot express, and what else you should check, with line numbers.'),
  dry_run: z.literal(true).optional().describe('True in a dry run; left out otherwise.'),
  preview: SuiteFile.optional().describe(
    `In a dry run the suite that would be made, with its first ${MAX_PREVIEW_CASES} cases; left ` + 'out otherwise.',
  ),
});
export type ImportAnswer = z.infer<typeof ImportAnswer>;

/** Fields that may be sent along with a file in another format, because the format itself cannot express them. */
const EXTRA_FIELDS = ['name', 'description', 'system_prompt', 'pass_threshold', 'tools', 'conversation'];
/** The format of the body is given by `?format=`. */
export const ImportBody = z.unknown().meta({
  id: 'ImportBody',
  description: 'A suite as JSON, or a file of another format together with a list of what the format cannot express.',
  oneOf: [
    { $ref: '#/components/schemas/SuiteFile' },
    {
      type: 'object',
      required: ['text'],
      description:
        'A file in another format as text (or its entries as a list), and what the format cannot say: ' +
        `${EXTRA_FIELDS.join(', ')}; of BFCL also the text of its "possible_answers".`,
      properties: {
        text: { type: 'string', description: 'The file.' },
        possible_answers: {
          type: 'string',
          description: 'The file of possible answers, if the BFCL data has them in a separate file.',
        },
        name: { type: 'string', description: SuiteFile.shape.name.description },
        description: { type: 'string', description: SuiteFile.shape.description.description },
        system_prompt: { type: 'string', description: SuiteFile.shape.system_prompt.description },
        pass_threshold: { type: 'number', description: SuiteFile.shape.pass_threshold.description },
        tools: {
          type: 'array',
          items: { $ref: '#/components/schemas/Tool' },
          description: SuiteFile.shape.tools.description,
        },
        conversation: {
          type: 'object',
          description: `${SuiteFile.shape.conversation.description} See ConversationDefaults.`,
          example: { state: { orders: { '17': { status: 'packed' } } } },
        },
      },
    },
  ],
});
