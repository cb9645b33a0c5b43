import { z } from 'zod';
import { named } from './named.js';
import { id, pageOf, time } from './page.js';

const interval = z.tuple([z.number(), z.number()]).nullable();

/** Maximum models of a point. */
export const MAX_TREND_MODELS = 8;

export const TrendsQuery = z.strictObject({
  suite_id: id.optional().meta({
    description: 'Only this suite. If left out, the suites of the team, 20 a page.',
    example: '019aa8a2-5c1e-7000-8000-000000000011',
  }),
  limit: z.coerce.number().int().min(1).max(100).default(12).describe('How many of the newest runs of a suite.'),
  cursor: z.string().max(500).optional().meta({
    description: 'The `next_cursor` of the previous page. If left out, the list starts at its beginning.',
    example: '019aa8a2-5c1e-7000-8000-000000000011',
  }),
});
export type TrendsQuery = z.infer<typeof TrendsQuery>;

export const TrendModel = z.object({
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  mean: z.number().nullable().describe('Its mean overall score, 0..1; null when nothing is scored.'),
  ci: interval.describe('The 95 % interval of the mean; null without one.'),
});
export type TrendModel = z.infer<typeof TrendModel>;

export const TrendPoint = named('TrendPoint', 'A completed run as a point of a trend.', {
  run: z
    .object({
      id: id.describe('The id of the run.'),
      name: z.string().nullable().describe('Its name; null for none.'),
      suite_version: z.int().describe('The version of the suite that it pins.'),
    })
    .describe('The run.'),
  finished_at: time.describe('When it ended.'),
  score: z.number().nullable().describe("Mean over the models' means, 0..1; null when nothing is scored."),
  models: z.array(TrendModel).describe(`The models with the highest means first, at most ${MAX_TREND_MODELS}.`),
  more_models: z.int().describe('How many more models the run has.'),
});
export type TrendPoint = z.infer<typeof TrendPoint>;

export const Trend = named('Trend', 'The scores of the newest completed runs of a suite.', {
  suite: z
    .object({
      id: id.describe('The id of the suite.'),
      name: z.string().describe('Its name.'),
      version: z.int().describe('Its current version.'),
    })
    .describe('The suite.'),
  points: z.array(TrendPoint).describe('The oldest first.'),
});
export type Trend = z.infer<typeof Trend>;

export const Trends = pageOf(Trend).meta({ id: 'Trends', description: 'Suites with their trends, the newest first.' });
export type Trends = z.infer<typeof Trends>;
