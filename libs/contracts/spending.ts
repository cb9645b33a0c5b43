import { z } from 'zod';
import { named } from './named.js';
import { TokenCounts } from './billing.js';
import { id, severalOf } from './page.js';
import { SPENDING_BY } from './values/jobs.js';

export type SpendingBy = (typeof SPENDING_BY)[number];

/** The maximum number of days, groups and values in an answer. */
export const MAX_SPENDING_DAYS = 366;
export const MAX_SPENDING_GROUPS = 5000;
/** The placeholder id in the tables for spending without a person or a suite: embeddings. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';

const FIRST_DAY = '2000-01-01';
const day = z.iso
  .date('must be a day as YYYY-MM-DD')
  .refine((text) => text >= FIRST_DAY, `must be ${FIRST_DAY} or later`);

/** Accepts comma-separated words, repeated keys, or both; each counts once. */
const wordsOf = (given: unknown): unknown[] => [
  ...new Set([given].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]))),
];

export const SpendingQuery = z.strictObject({
  from: day.optional().meta({
    description: 'The first day, of UTC, as YYYY-MM-DD. If left out, the first of this month.',
    example: '2026-11-01',
  }),
  to: day.optional().meta({
    description: `The last day, of UTC, as YYYY-MM-DD; at most ${MAX_SPENDING_DAYS} days. If left out, today.`,
    example: '2026-11-30',
  }),
  by: z
    .preprocess(wordsOf, z.array(z.enum(SPENDING_BY)).min(1))
    .default(['day'])
    .meta({
      description: 'How to group: one or several, separated by commas or repeated.',
      example: ['day', 'model'],
    }),
  model: severalOf(z.string().min(1).max(300)).meta({
    description: "Only spending on this model: `provider_key::model_id`, or the model's id; repeat it for several.",
    example: ['simulator::perfect-ish'],
  }),
  provider: severalOf(z.string().min(1).max(63)).meta({
    description: 'Only spending at this provider, by key; repeat it for several.',
    example: ['simulator'],
  }),
  suite_id: severalOf(id).meta({
    description: `Only spending on this suite; repeat it for several. \`${NO_ID}\` means no suite.`,
    example: ['019aa8a2-5c1e-7000-8000-000000000011'],
  }),
  person: severalOf(id).meta({
    description: `Only spending of this person, by id; repeat it for several. \`${NO_ID}\` means nobody.`,
    example: ['019aa8a2-5c1e-7000-8000-000000000002'],
  }),
});
export type SpendingQuery = z.infer<typeof SpendingQuery>;

export const SpendingFigures = named('SpendingFigures', 'The usage and cost of models.', {
  cost_usd: z.number().describe('US dollars, as billed when results settled. Models without prices add nothing.'),
  requests: z.int().describe('Requests to models, including retries.'),
  results: z.int().describe('Results of these requests. Embeddings have none.'),
  ...TokenCounts.shape,
  cache_hit_rate: z
    .number()
    .nullable()
    .describe('The share of prompt tokens read from the cache of the provider, 0 to 1; null without any.'),
});
export type SpendingFigures = z.infer<typeof SpendingFigures>;

export const SpendingGroup = SpendingFigures.extend({
  day: z.string().optional().describe('The day of UTC, as YYYY-MM-DD; only with `by=day`.'),
  model: z.string().optional().describe('`provider_key::model_id`; only with `by=model`.'),
  provider: z.string().optional().describe('The key of the provider; only with `by=provider`.'),
  suite: z
    .object({
      id: z.uuid().describe('The id of the suite.'),
      name: z.string().describe('Its name now, or the last one that was billed if it was deleted.'),
      deleted: z.boolean().describe('Whether it was deleted.'),
    })
    .nullable()
    .optional()
    .describe(
      'The suite that was run, judged or tuned; null for embeddings and for cases that were tried out; only with ' +
        '`by=suite`.',
    ),
  person: z
    .object({
      id: z.uuid().describe('The id of the person.'),
      name: z.string().nullable().describe('The name of the person; null if the person was removed.'),
    })
    .nullable()
    .optional()
    .describe('Who submitted the runs; null for embeddings; only with `by=person`.'),
}).meta({ id: 'SpendingGroup', description: 'The usage and cost of one day, model, provider, suite or person.' });
export type SpendingGroup = z.infer<typeof SpendingGroup>;

export const SpendingReport = z
  .object({
    from: z.string().describe('The first day, of UTC, as YYYY-MM-DD.'),
    to: z.string().describe('The last day, of UTC, as YYYY-MM-DD.'),
    by: z.array(z.enum(SPENDING_BY)).describe('How it is grouped.'),
    total: SpendingFigures.describe('The sum of all items.'),
    items: z
      .array(SpendingGroup)
      .describe('In order of days, and within a day the highest cost first. Groups without requests are left out.'),
  })
  .meta({
    id: 'SpendingReport',
    description:
      'What a team has spent in a range of days. A result counts on the day that it settles, and still counts ' +
      'when its run or suite is deleted.',
  });
export type SpendingReport = z.infer<typeof SpendingReport>;
