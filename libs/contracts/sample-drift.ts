import { z } from 'zod';
import { described, named } from './named.js';
import { time } from './page.js';

const part = (description: string) =>
  described(description, {
    samples: z.int().describe('Its scored samples of these cases.'),
    mean: z.number().describe('The mean of the measure over the cases.'),
    from: time.describe('When the first of its runs began.'),
    to: time.describe('When the last of its runs ended.'),
  });

export const DRIFT_EXAMPLE = {
  side: 'baseline',
  target: 'simulator::prompt-sensitive',
  earlier: { samples: 55, mean: 0.77, from: '2026-11-25T13:40:02.000Z', to: '2026-11-25T13:41:10.000Z' },
  later: { samples: 165, mean: 0.45, from: '2026-11-25T14:08:31.000Z', to: '2026-11-25T14:10:44.000Z' },
  difference: -0.32,
  ci: [-0.46, -0.15],
  confidence: 0.99,
  since: '2026-11-25T14:08:31.000Z',
};

export const SampleDrift = named(
  'SampleDrift',
  'Samples that were added to a run and differ beyond chance from those that they join. They are not counted.',
  {
    side: z.enum(['baseline', 'run']).describe('The run that they were added to.'),
    target: z.string().describe('The model, as `provider_key::model_id`.'),
    earlier: part('The samples that count.'),
    later: part('The samples that do not.'),
    difference: z.number().describe('The mean difference of the cases, later minus earlier, -1..1.'),
    ci: z.tuple([z.number(), z.number()]).describe('Its interval, at `confidence`.'),
    confidence: z.number().describe('Such that all intervals together are wrong once in 100 times.'),
    since: time.describe('When the later samples began.'),
  },
);
export type SampleDrift = z.infer<typeof SampleDrift>;

export const drifts = z
  .array(SampleDrift)
  .optional()
  .meta({
    description:
      'Added samples that are not counted, because they differ from those before them; absent when there are none.',
    example: [DRIFT_EXAMPLE],
  });
