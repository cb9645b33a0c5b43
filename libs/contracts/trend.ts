import { z } from 'zod';
import { ComparisonVerdict } from './comparison.js';
import { named } from './named.js';
import { id, pageOf, severalOf, time } from './page.js';
import { TREND_PART_KINDS } from './values/trends.js';

const interval = z.tuple([z.number(), z.number()]).nullable();

/** Maximum models of a point. */
export const MAX_TREND_MODELS = 8;
export const DEFAULT_TREND_POINTS = 200;
const MAX_TREND_POINTS = 1000;
/** Newest runs of a model that a history looks at. */
export const MAX_TREND_RUNS = 20_000;
/** Newest runs of a model in which a shift of its level is looked for. */
export const MAX_SHIFT_RUNS = 1000;
/** Models of a suite whose change is told, and categories and tools that are named. */
export const MAX_TREND_NAMES = 200;

const PART = /^(all|(category|tool):.{1,200})$/su;

export const TrendsQuery = z.strictObject({
  suite_id: id.optional().meta({
    description: 'Only this suite. If left out, the suites of the team, 20 a page.',
    example: '019aa8a2-5c1e-7000-8000-000000000011',
  }),
  experiment_id: id.optional().meta({
    description: 'The history of the runs of this experiment, of all models of its suite.',
    example: '019aa8a2-5c1e-7000-8000-000000000031',
  }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(12)
    .describe('How many of the newest runs of a suite. A history, which the following parameters ask for, ignores it.'),
  model: severalOf(z.string().max(400)).meta({
    description:
      'The history of these models (`provider_key::model_id`), of suites that have runs of them; repeat it for ' +
      `several, at most ${MAX_TREND_MODELS} of which are shown. If left out, a history is of those that changed most.`,
    example: ['simulator::perfect-ish'],
  }),
  part: z.string().max(300).regex(PART).optional().meta({
    description: 'The history over these cases: `all`, `category:` with a name, or `tool:` with the name of the tool.',
    example: 'category:Calendar',
  }),
  from: time.optional().meta({
    description: 'The history from this time on, inclusive.',
    example: '2026-11-01T00:00:00.000Z',
  }),
  to: time.optional().meta({
    description: 'The history until this time, exclusive.',
    example: '2026-12-01T00:00:00.000Z',
  }),
  points: z.coerce
    .number()
    .int()
    .min(10)
    .max(MAX_TREND_POINTS)
    .optional()
    .meta({
      description:
        `About how many runs of each model a history shows, ${DEFAULT_TREND_POINTS} if left out. Of more, it shows ` +
        'the first, the last, the lowest and highest of each of as many equal spans of time as fit, and those that ' +
        'improved or regressed against the run before them.',
      example: 200,
    }),
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
  scored: z.int().optional().describe('Results with a score. Only in a history, like what follows.'),
  errored: z.int().optional().describe('Results without a score, because the provider or the network failed.'),
  cost_usd: z.number().nullable().optional().describe('What it cost, in US dollars; null when unknown, or of a part.'),
  p95_ms: z.number().nullable().optional().describe('The 95th percentile of its latency; null of a part.'),
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
  against: z
    .object({
      run_id: id.describe('The id of the run before it: of the same suite, models and parameters.'),
      verdict: ComparisonVerdict,
      difference: z.number().nullable().describe('The difference of the scores, -1..1; null without one.'),
      worst: z
        .object({
          target: z.string().describe('The model.'),
          verdict: ComparisonVerdict,
          difference: z.number().nullable().describe('Its difference, -1..1.'),
        })
        .nullable()
        .describe('The model with the lowest difference; null when none could be compared.'),
      regressed: z.int().describe('Models that are shown to be worse.'),
      improved: z.int().describe('Models that are shown to be better.'),
    })
    .nullable()
    .optional()
    .describe('What it changed; null for the first run, and before it is compared. Only in a history.'),
});
export type TrendPoint = z.infer<typeof TrendPoint>;

const TrendChange = z.object({
  target: z.string().describe('The model, as `provider_key::model_id`.'),
  first: z.number().nullable().describe('Its mean in its first run of the history, 0..1; null when nothing is scored.'),
  last: z.number().nullable().describe('Its mean in its last run.'),
  shift: z
    .object({
      run_id: id.meta({
        description: 'The first run of the new level.',
        example: '019aa8a2-5c1e-7000-8000-000000000013',
      }),
      name: z.string().nullable().meta({ description: 'Its name; null for none.', example: 'Nightly 8' }),
      finished_at: time.meta({ description: 'When it ended.', example: '2026-11-20T09:00:00.000Z' }),
      from: z
        .number()
        .meta({ description: 'The mean of the runs before it, since the shift before, 0..1.', example: 0.77 }),
      to: z.number().meta({ description: 'The mean of the runs from it on.', example: 0.53 }),
    })
    .nullable()
    .meta({
      description:
        `The last lasting shift of its level among its newest ${MAX_SHIFT_RUNS} runs, at least 5 runs long. Null for ` +
        'none, where a new version of the suite came with it, and for a model that is not among the points.',
      example: {
        run_id: '019aa8a2-5c1e-7000-8000-000000000013',
        name: 'Nightly 8',
        finished_at: '2026-11-20T09:00:00.000Z',
        from: 0.77,
        to: 0.53,
      },
    }),
});
export type TrendChange = z.infer<typeof TrendChange>;

const TrendPart = z.object({
  kind: z.enum(TREND_PART_KINDS).describe('`category` or `tool`.'),
  name: z.string().describe('Its name.'),
});

export const TrendHistory = named('TrendHistory', 'What the points of a history are, and what is left out of it.', {
  runs: z.int().describe(`How many runs there are; of each model at most the newest ${MAX_TREND_RUNS} are looked at.`),
  shown: z.int().describe('How many of them are among the points.'),
  left_out: z.int().describe('How many are not.'),
  how: z.string().nullable().describe('Which are left out, in a sentence; null when none is.'),
  models: z
    .array(TrendChange)
    .describe(`The models of the suite, those that changed most first, at most ${MAX_TREND_NAMES}.`),
  parts: z.array(TrendPart).describe(`The categories and tools that have a history, at most ${MAX_TREND_NAMES}.`),
});
export type TrendHistory = z.infer<typeof TrendHistory>;

export const Trend = named('Trend', 'The scores of the runs of a suite.', {
  suite: z
    .object({
      id: id.describe('The id of the suite.'),
      name: z.string().describe('Its name.'),
      version: z.int().describe('Its current version.'),
    })
    .describe('The suite.'),
  points: z.array(TrendPoint).describe('The oldest first.'),
  history: TrendHistory.optional().describe('Left out when the newest runs were asked for.'),
});
export type Trend = z.infer<typeof Trend>;

export const Trends = pageOf(Trend).meta({ id: 'Trends', description: 'Suites with their trends, the newest first.' });
export type Trends = z.infer<typeof Trends>;
