import { z } from 'zod';
import { id, time } from './page.js';
import { Limits } from './provider.js';

/** A rate-limit domain: a provider's credential, or a model with limits of its own. */
export const Lane = z
  .object({
    id,
    name: z.string(),
    providers: z.array(z.string()),
    limits: Limits,
    paused_at: time.nullable(),
    /** Items handed to workers and not settled; of these `waiting` are not begun. */
    in_flight: z.int(),
    waiting: z.int(),
    /** Items of running runs that are not settled. */
    backlog: z.int(),
    /** What the fleet shares in Redis; null while Redis cannot be asked. */
    now: z
      .object({
        requests_in_flight: z.int(),
        /** Share of the limits that is used since the provider said 429, 0.05..1; it grows back by itself. */
        adaptive_factor: z.number(),
        blocked_until: time.nullable(),
        breaker: z.object({ state: z.enum(['closed', 'open']), since: time.nullable(), next_probe_at: time.nullable(), error: z.string().nullable() }),
      })
      .nullable(),
  })
  .meta({ id: 'Lane' });
export type Lane = z.infer<typeof Lane>;
