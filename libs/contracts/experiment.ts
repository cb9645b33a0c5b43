import { z } from 'zod';
import { id, suiteId, time } from './page.js';

export const ExperimentInput = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    suite_id: suiteId,
    description: z.string().max(10_000).default(''),
    baseline_eval_id: id.nullable().default(null),
  })
  .meta({ id: 'ExperimentInput' });
export type ExperimentInput = z.infer<typeof ExperimentInput>;

export const Experiment = z
  .object({
    id,
    name: z.string(),
    suite_id: id,
    description: z.string(),
    baseline_eval_id: id.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Experiment' });
export type Experiment = z.infer<typeof Experiment>;
