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
});
export type System = z.infer<typeof System>;
