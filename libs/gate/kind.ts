import { z } from 'zod';
import { event } from '#lib/contracts/event-shapes';
import type { OrchestrationKind } from '#lib/contracts/orchestration-kind';
import { id } from '#lib/contracts/page';
import { GateResult } from './contract.js';

const events = {
  gate_look: event('A gate run has looked at its data.', {
    gate_run_id: id.describe('The gate run.'),
    look: z.int().min(1).describe('Number of the look, from 1.'),
    samples: z.tuple([z.number(), z.number()]).describe('Samples per case, on average: baseline first.'),
    result: GateResult.describe(
      'The result of the look. After `inconclusive`, another look with twice as many samples may follow.',
    ),
    text: z.string().describe('The result in a sentence.'),
  }),
  gate_complete: event('A gate run has its answer: `result` of the gate run. `job_completed` follows soon.', {
    gate_run_id: id.describe('The gate run.'),
    eval_id: id.nullable().describe('The run that was measured; null when there was none to measure.'),
    result: GateResult.describe('The answer. It is `not_measured`, never `pass`, when there was no data to decide on.'),
    text: z.string().describe('The result in a sentence.'),
  }),
};

export const GATE = {
  type: 'gate',
  result: 'gate run',
  ref: 'gate_run_id',
  events,
  rows: [],
} as const satisfies OrchestrationKind;
