import { z } from 'zod';

const Store = z.enum(['up', 'down']);

export const System = z
  .object({
    version: z.string().meta({ description: 'The release of the API that answered.' }),
    workers: z
      .object({
        alive: z
          .int()
          .nullable()
          .meta({
            description:
              'How many workers of the installation sent a heartbeat within the last 15 seconds; null while Redis ' +
              'cannot be reached.',
          }),
      })
      .meta({ description: 'The processes that carry out jobs, for all teams.' }),
    redis: Store.meta({ description: 'Whether Redis answers. Without it nothing is sent to models.' }),
    postgres: Store.meta({ description: 'Whether Postgres answers.' }),
  })
  .meta({ id: 'System', description: 'The parts of the installation, and whether they work.' });
export type System = z.infer<typeof System>;
