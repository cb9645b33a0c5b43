import { z } from 'zod';
import { judgeName } from '#lib/contracts/judge-of-run';
import { flag, id, PageQuery } from '#lib/contracts/page';
import { Agreement, Judgement, Opinion, Preference } from './contract.js';

export const ReportsQuery = z.strictObject({
  ...PageQuery.shape,
  eval_id: id.optional().meta({
    description: 'Only reports on this run.',
    example: '019aa8a2-5c1e-7000-8000-000000000031',
  }),
});
export type ReportsQuery = z.infer<typeof ReportsQuery>;

export const JudgementsQuery = z.strictObject({
  ...PageQuery.shape,
  result_id: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Only the judgement of this result.', example: '0-1-0' }),
  target: z.string().max(300).optional().meta({
    description: 'Only judgements of this model.',
    example: 'simulator::perfect-ish',
  }),
  verdict: Opinion.optional().meta({ description: 'Only judgements with this verdict.', example: 'wrong' }),
  preference: Preference.optional().meta({
    description: 'For a comparison: only judgements with this preference.',
    example: 'loss',
  }),
  agreement: Agreement.optional().meta({ description: 'Only judgements with this agreement.', example: 'kinder' }),
  disputed: flag.meta({
    description: 'Only judgements that the label of people contradicts: one finds the reply wrong, the other does not.',
  }),
  expectation_at_fault: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'Only judgements that consider the expectation wrong, or do not.', example: 'true' }),
  suspicious: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'Only judgements of replies that address a grader, or do not.', example: 'true' }),
  state: Judgement.shape.state.optional().meta({ description: 'Only judgements in this state.', example: 'errored' }),
});
export type JudgementsQuery = z.infer<typeof JudgementsQuery>;

export const CalibrationQuery = z.strictObject({
  judge: judgeName.optional().meta({
    description: 'The judge; the default judge of the team if omitted. Its newest report decides the configuration.',
    example: 'simulator::judge:right',
  }),
  report_id: id.optional().meta({
    description: 'The judge of this report, with its instructions.',
    example: '019aa8a2-5c1e-7000-8000-000000000101',
  }),
});
export type CalibrationQuery = z.infer<typeof CalibrationQuery>;
