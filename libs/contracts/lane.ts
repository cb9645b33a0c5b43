import { z } from 'zod';
import { id, time } from './page.js';
import { Limits } from './provider.js';

export const Lane = z
  .object({
    id: id.meta({ description: 'The id of the lane.' }),
    name: z.string().meta({
      description:
        'The key of the provider, or of the first of several that share a credential; of a model ' +
        'with limits of its own `provider_key::model_id`.',
    }),
    providers: z.array(z.string()).meta({ description: 'Keys of the providers that are asked in this lane.' }),
    limits: Limits.meta({
      description: 'How much may be asked in this lane: the strictest limits of the providers that share it.',
    }),
    paused_at: time.nullable().meta({ description: 'When an owner paused the lane; null when it is not paused.' }),
    in_flight: z.int().meta({ description: 'Items handed to workers and not settled.' }),
    waiting: z.int().meta({ description: 'Of the items in flight those that are not begun.' }),
    backlog: z.int().meta({ description: 'Items of running runs that are not settled.' }),
    now: z
      .object({
        requests_in_flight: z.int().meta({ description: 'Requests under way at the provider.' }),
        adaptive_factor: z.number().meta({
          description:
            'Share of the limits that is used since the provider said 429, 0.05..1; it grows back by itself.',
        }),
        blocked_until: time.nullable().meta({
          description: 'Until when nothing is asked, as the provider wishes (Retry-After); null when it may be asked.',
        }),
        breaker: z
          .object({
            state: z
              .enum(['closed', 'open'])
              .meta({ description: '`open` while the provider is down: nothing but a probe now and then is sent.' }),
            since: time.nullable().meta({ description: 'Since when it is open; null when closed.' }),
            next_probe_at: time.nullable().meta({ description: 'When the provider is tried next; null when closed.' }),
            error: z.string().nullable().meta({ description: 'What opened it; null when closed.' }),
          })
          .meta({ description: 'Whether the provider is taken to be down.' }),
      })
      .nullable()
      .meta({ description: 'What all workers share in Redis; null while Redis cannot be asked.' }),
  })
  .meta({
    id: 'Lane',
    description:
      "Where requests queue under one set of limits: a provider's credential, or a model with limits of its own.",
  });
export type Lane = z.infer<typeof Lane>;
