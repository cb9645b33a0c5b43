import { z } from 'zod';
import { named } from './named.js';
import { id, time } from './page.js';
import { GATE_RESULTS } from './values/gates.js';

// What a list says of a gate's newest answer, and what a gate can show before it is run.

const result = z.enum(GATE_RESULTS);

export const GateLast = named('GateLast', 'The newest answer of a gate.', {
  result: result.describe('As in the answer itself.'),
  text: z.string().describe('The result in a sentence, or its beginning.'),
  version: z.int().describe('The version of the rules that it applied.'),
  eval_id: id.nullable().describe('The run that was measured; null when there was none.'),
  gate_run_id: id.nullable().describe('The gate run that ended with it; null for a check.'),
  worst: z
    .object({
      target: z.string().describe('The model, as `provider_key::model_id`.'),
      result: result.describe('Its result.'),
      difference: z.number().describe('Run minus baseline, -1..1.'),
      ci: z.tuple([z.number(), z.number()]).nullable().describe('Its interval, at the level of the look.'),
    })
    .nullable()
    .describe('The model with the largest loss; null when nothing was measured.'),
  at: time.describe('When it was given.'),
});
export type GateLast = z.infer<typeof GateLast>;

export const GateSensitivity = named('GateSensitivity', 'What a gate can show with its cases, before it is run.', {
  cases: z.int().describe('Cases of the baseline, or of the suite when there is none.'),
  samples: z.int().describe('Samples of each case at the last look.'),
  smallest_loss: z
    .number()
    .describe(
      'The loss that four of five gate runs show, as a share. It assumes that the models answer one case in five ' +
        'right half of the time, and the others always alike.',
    ),
  smallest_margin: z
    .number()
    .describe('The margin above which a run passes whose replies are all like those of the baseline, as a share.'),
  can_pass: z.boolean().describe('Whether such a run passes with the margin of the gate.'),
  cases_needed: z
    .int()
    .nullable()
    .describe('How many cases the margin takes; null when these are enough, or no number would be.'),
});
export type GateSensitivity = z.infer<typeof GateSensitivity>;

const most = z.object({
  requests: z.int().describe('Requests to models, with those for samples that are added to the baseline.'),
  cost_usd: z.number().nullable().describe('US dollars; null when a model has no prices.'),
});

/** @param estimate of the run that a gate run makes */
export const gateRunEstimate = <Shape extends z.ZodType>(estimate: Shape) =>
  named('GateRunEstimate', 'What a gate run takes: to begin with, and with all of its looks.', {
    first: estimate.nullable().describe('The run that it makes; null when it measures an existing one.'),
    most: most.nullable().describe('With all looks; null when the baseline is gone.'),
  });
