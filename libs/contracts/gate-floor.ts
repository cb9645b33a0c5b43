import { z } from 'zod';
import { METRIC_NAME } from './metric.js';
import { isBetterHigher } from './values/conversations.js';

const share = z.number().min(0).max(1);

const floorName = z.string().regex(METRIC_NAME, 'must be the name of a metric').refine(isBetterHigher, {
  message: 'is better when it is lower, and a floor is a minimum: use "conversation.state" or "conversation.answer"',
});

/** What a run has to reach, whatever the baseline. */
export const Floor = z
  .strictObject({
    pass_rate: share.optional().describe('The minimum share of passed samples.'),
    metrics: z
      .record(floorName, share)
      .optional()
      .describe(
        'The minimum mean of metrics, or of figures of conversations, by name: `{"conversation.state": 0.9}`. ' +
          'Cases to which one does not apply do not count for it.',
      )
      .meta({ example: { 'conversation.state': 0.9 } }),
  })
  .refine(({ pass_rate, metrics }) => pass_rate !== undefined || Object.keys(metrics ?? {}).length > 0, {
    message: 'must have "pass_rate", or at least one of "metrics"',
  });

/** The floor of a metric, as it was measured. */
export const MeasuredFloor = z.object({
  name: z.string().describe('The metric, or the figure of conversations.').meta({ example: 'conversation.state' }),
  minimum: z.number().describe('Its floor.').meta({ example: 0.9 }),
  mean: z
    .number()
    .nullable()
    .describe('The mean over the cases of the run to which it applies; null without one.')
    .meta({ example: 0.93 }),
  ci: z
    .tuple([z.number(), z.number()])
    .nullable()
    .describe('Its interval, at the level of the look.')
    .meta({ example: [0.91, 0.95] }),
});
export type MeasuredFloor = z.infer<typeof MeasuredFloor>;
