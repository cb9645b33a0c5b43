import { z } from 'zod';
import { described } from './named.js';
import { id, time } from './page.js';
import { Limits } from './provider.js';

export const Lane = z
  .object({
    id: id.describe('The id of the lane.'),
    name: z
      .string()
      .describe(
        'The key of the provider, or of the first provider if several share a credential. For a model ' +
          'with limits of its own: `provider_key::model_id`.',
      ),
    providers: z.array(z.string()).describe('Keys of the providers of this lane.'),
    limits: Limits.describe('The limits of the lane: the strictest limits of the providers that share it.'),
    paused_at: time.nullable().describe('When an owner paused the lane; null when it is not paused.'),
    in_flight: z.int().describe('Items that workers have and that are not settled.'),
    waiting: z.int().describe('Items in flight that have not started.'),
    backlog: z.int().describe('Items of running runs that are not settled.'),
    now: z
      .object({
        requests_in_flight: z.int().describe('Requests under way at the provider.'),
        adaptive_factor: z
          .number()
          .describe('Share of the limits in use since the provider replied 429, 0.05..1. It recovers by itself.'),
        blocked_until: time
          .nullable()
          .describe(
            'Until when no request is sent, because the provider asked for it (Retry-After); null when ' +
              'requests may be sent.',
          ),
        breaker: described('Whether the provider is considered down.', {
          state: z
            .enum(['closed', 'open'])
            .describe('`open` while the provider is down. Then only an occasional probe is sent.'),
          since: time.nullable().describe('When it opened; null when closed.'),
          next_probe_at: time.nullable().describe('When the next probe is sent; null when closed.'),
          error: z.string().nullable().describe('The error that opened it; null when closed.'),
        }),
      })
      .nullable()
      .describe('The state that all workers share in Redis; null while Redis cannot be reached.'),
  })
  .meta({
    id: 'Lane',
    description:
      "A queue of requests under one set of limits: a provider's credential, or a model with limits of its own.",
  });
export type Lane = z.infer<typeof Lane>;
