import { z } from 'zod';
import { event } from '#lib/contracts/event-shapes';
import type { OrchestrationKind } from '#lib/contracts/orchestration-kind';
import { id } from '#lib/contracts/page';
import { GateResult } from './contract.js';

const events = {
  gate_look: event('A gate run has looked at its data.', {
    gate_run_id: id.describe('The gate run.'),
    look: z.int().min(1).describe('Which look it is, from 1.'),
    samples: z.tuple([z.number(), z.number()]).describe('Samples a case, on average: baseline first.'),
    result: GateResult.describe(
      'What the look said. After `inconclusive` another one may follow, with twice as many samples.',
    ),
    text: z.string().describe('The same in a sentence.'),
  }),
  gate_complete: event('A gate run has its answer: `result` of the gate run. `job_completed` follows soon.', {
    gate_run_id: id.describe('The gate run.'),
    eval_id: id.nullable().describe('The run that was measured; null when there was none to measure.'),
    result: GateResult.describe('The answer. It is `not_measured`, never `pass`, when there was nothing to tell from.'),
    text: z.string().describe('The same in a sentence.'),
  }),
};

export const GATE = {
  type: 'gate',
  result: 'gate run',
  ref: 'gate_run_id',
  events,
  rows: [],
} as const satisfies OrchestrationKind;
