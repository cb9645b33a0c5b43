import { z } from 'zod';
import type { JobStatus } from '#lib/contracts/job';

/** What the list of runs can be narrowed to, as an address has it. */
export const STATUS_FILTERS = {
  under_way: ['under way', ['pending', 'queued', 'running']],
  completed: ['completed', ['completed']],
  failed: ['failed', ['failed']],
  cancelled: ['cancelled', ['cancelled']],
  budget_exceeded: ['budget spent', ['budget_exceeded']],
} as const satisfies Record<string, [string, readonly JobStatus[]]>;
export type StatusFilter = keyof typeof STATUS_FILTERS;

// A key with a fault is as if it were not there.
const id = z.uuid().optional().catch(undefined);
export const runsSearch = z.object({
  suite: id,
  status: z
    .enum(Object.keys(STATUS_FILTERS) as StatusFilter[])
    .optional()
    .catch(undefined),
  model: z.string().min(1).max(300).optional().catch(undefined),
  after: z.string().max(500).optional().catch(undefined),
});
export type RunsSearch = z.infer<typeof runsSearch>;

export const runNewSearch = z.object({ suite: id, from: id });
