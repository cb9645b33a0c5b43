import { z } from 'zod';
import { id, suiteId, time } from './page.js';

export const ExperimentInput = z
  .strictObject({
    name: z.string().trim().min(1).max(200).meta({ description: 'What the experiment is called.' }),
    suite_id: suiteId.meta({ description: 'The suite of all its runs.' }),
    description: z.string().max(10_000).default('').meta({ description: 'What the experiment tries, and why.' }),
    baseline_eval_id: id
      .nullable()
      .default(null)
      .meta({ description: 'The run of the suite to compare the others with; null for none.' }),
  })
  .meta({ id: 'ExperimentInput', description: 'An experiment to create.' });
export type ExperimentInput = z.infer<typeof ExperimentInput>;

export const Experiment = z
  .object({
    id: id.meta({ description: 'The id of the experiment: `experiment_id` of its runs.' }),
    name: z.string().meta({ description: 'What the experiment is called.' }),
    suite_id: id.meta({ description: 'The suite of all its runs.' }),
    description: z.string().meta({ description: 'What the experiment tries, and why.' }),
    baseline_eval_id: id
      .nullable()
      .meta({ description: 'The run that the others are compared with (see `delta` of a run); null for none.' }),
    created_at: time.meta({ description: 'When the experiment was created.' }),
    updated_at: time.meta({ description: 'When it was last changed.' }),
  })
  .meta({ id: 'Experiment', description: 'Runs of one suite that belong together, compared with a baseline.' });
export type Experiment = z.infer<typeof Experiment>;
