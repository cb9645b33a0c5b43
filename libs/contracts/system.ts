import { z } from 'zod';
import { described, named } from './named.js';

const Store = z.enum(['up', 'down']);

export const System = named('System', 'The parts of the installation, and whether they work.', {
  version: z.string().describe('The release of the API that answered.'),
  workers: described('The processes that carry out jobs, for all teams.', {
    alive: z
      .int()
      .nullable()
      .describe(
        'How many workers of the installation sent a heartbeat within the last 15 seconds; null while Redis ' +
          'cannot be reached.',
      ),
  }),
  redis: Store.describe('Whether Redis answers. Without it nothing is sent to models.'),
  postgres: Store.describe('Whether Postgres answers.'),
  sealing: z
    .object({
      keys: z
        .array(z.string())
        .describe('The ids of the sealing keys of the API that answered. The first one seals, all of them open.'),
      left: z
        .int()
        .describe(
          'Secrets that the first key has not sealed yet. Workers do it within minutes; at 0 the other keys are no ' +
            'longer needed.',
        ),
      missing: z
        .array(z.string())
        .describe('The ids of keys that have sealed secrets and that this API does not have: nothing opens these.'),
    })
    .nullable()
    .describe('The sealing keys, for operators; null for everybody else, and while Postgres does not answer.'),
});
export type System = z.infer<typeof System>;
