import { z } from 'zod';
import { id, suiteId, time } from './page.js';

export const ExperimentInput = z
  .strictObject({
    name: z.string().trim().min(1).max(200).meta({ description: 'What the experiment is called.' }),
    suite_id: suiteId.meta({ description: 'The suite that all its runs are of.' }),
    description: z.string().max(10_000).default('').meta({ description: 'What is tried, and why.' }),
    baseline_eval_id: id
      .nullable()
      .default(null)
      .meta({ description: 'A run of the suite that the others are compared with; null for none.' }),
  })
  .meta({ id: 'ExperimentInput', description: 'An experiment to make.' });
export type ExperimentInput = z.infer<typeof ExperimentInput>;

export const Experiment = z
  .object({
    id: id.meta({ description: 'The id of the experiment: `experiment_id` of its runs.' }),
    name: z.string().meta({ description: 'What the experiment is called.' }),
    suite_id: id.meta({ description: 'The suite that all its runs are of.' }),
    description: z.string().meta({ description: 'What is tried, and why.' }),
    baseline_eval_id: id
      .nullable()
      .meta({ description: 'The run that the others are compared with (`delta` of a run); null for none.' }),
    created_at: time.meta({ description: 'When the experiment was made.' }),
    updated_at: time.meta({ description: 'When it was changed last.' }),
  })
  .meta({ id: 'Experiment', description: 'Runs of one suite that belong together, compared with a baseline.' });
export type Experiment = z.infer<typeof Experiment>;
