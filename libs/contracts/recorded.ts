import { z } from 'zod';
import { namedInput } from './named.js';
import { MetricAsked } from './metric.js';
import { id } from './page.js';
import { Submitted } from './run.js';

/** The provider key of targets whose replies were recorded elsewhere. New providers must not use it. */
export const RECORDED = 'recorded';

/** Limits for the replies of a recorded run. A text has at most as many characters as bytes. */
export const MAX_RECORDED = { lines: 10_000_000, lineCharacters: 4 * 2 ** 20, bytes: 10 * 2 ** 30, samples: 100 };

const suite_id = id.describe('The suite whose cases were answered. The run pins its current version.');
const target_name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe(
    'The system that answered, such as the name and version of an agent. The run shows it as `recorded::NAME`.',
  );
const experiment_id = id.nullable().default(null).describe('The experiment that the run belongs to; null for none.');
const metrics = z
  .array(MetricAsked)
  .max(20)
  .default([])
  .describe('Further metrics, computed for each reply in addition to the house score. `GET /api/metrics` lists them.');

/** The settings for replies that are sent as a separate body. */
export const RecordedSettings = z.strictObject({
  suite_id,
  target_name,
  experiment_id: id
    .optional()
    .transform((value) => value ?? null)
    .describe('The experiment that the run belongs to; left out for none.'),
  metrics: z
    .string()
    .max(100_000)
    .optional()
    .transform((text, context) => {
      const asked = metrics.safeParse(parsed(text));
      if (asked.success) return asked.data;
      context.addIssue({
        code: 'custom',
        message: 'must be the JSON of a list of metrics, such as [{"id":"bfcl_ast"}]',
      });
      return z.NEVER;
    })
    .describe('A JSON list of further metrics, like `metrics` in a body.'),
});
export type RecordedSettings = z.output<typeof RecordedSettings>;

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Replies in JSON together with their settings. */
export const RecordedInput = z
  .strictObject({
    suite_id,
    target_name,
    experiment_id,
    metrics,
    replies: z
      .union([z.string(), z.array(z.unknown())])
      .describe(
        'JSON Lines as text, or a list of their objects: `{case, sample, reply}`, `{case, sample, ' +
          'rounds}` or `{case, sample, error}`. Send more than 10 MiB as a body of its own.',
      ),
  })
  .meta({ id: 'RecordedInput', description: 'Replies that were made elsewhere, with the suite that they answer.' });
export type RecordedInput = z.infer<typeof RecordedInput>;

/** A line of replies. libs/recorded defines the allowed values of `reply` and of each of `rounds`. */
export const RecordedLine = namedInput('RecordedLine', 'One recorded reply.', {
  case: z.string().describe('Id or name of a case of the suite.'),
  sample: z
    .int()
    .min(0)
    .max(MAX_RECORDED.samples - 1)
    .optional()
    .describe('The repetition of the case, from 0. Defaults to the first one that no earlier line has.'),
  reply: z.unknown().optional().describe('The reply, in any format that `toolmark score` reads.'),
  rounds: z
    .array(z.unknown())
    .min(1)
    .optional()
    .describe('The replies to the rounds of a chain or a conversation, in order, instead of `reply`.'),
  error: z
    .unknown()
    .optional()
    .describe(
      'The error that left the case without a reply, instead of `reply`: a text, or `{message, ' +
        'kind}`. The item is errored, not wrong.',
    ),
});

/** The query of both forms of the request. A JSON body has all of these fields, and the query then has none. */
export const RecordedQuery = z.strictObject({
  suite_id: z
    .string()
    .optional()
    .meta({
      description: `${suite_id.description} If the body is JSON, leave out this parameter and the others.`,
      example: '019aa8a2-5c1e-7000-8000-000000000011',
    }),
  target_name: z.string().optional().meta({ description: target_name.description, example: 'support-agent 2026-01' }),
  experiment_id: z.string().optional().meta({
    description: RecordedSettings.shape.experiment_id.description,
    example: '019aa8a2-5c1e-7000-8000-000000000051',
  }),
  metrics: z
    .string()
    .optional()
    .meta({ description: RecordedSettings.shape.metrics.description, example: '[{"id":"bfcl_ast"}]' }),
});

export const RecordedSubmitted = Submitted.extend({
  replies: z.int().describe('Lines that were accepted.'),
  read_as: z
    .record(z.string(), z.int())
    .describe('How many replies were read in each format. `error` counts lines with an error instead of a reply.'),
  warnings: z.array(z.string()).describe('Parts of the file that are not used, and parts that are missing.'),
}).meta({
  id: 'RecordedSubmitted',
  description: 'A recorded run that was accepted. Its replies are scored in the background.',
});
export type RecordedSubmitted = z.infer<typeof RecordedSubmitted>;
