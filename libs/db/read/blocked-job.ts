import type { Job } from '#lib/contracts/job';
import { NO_WORKER, WAITING_FOR } from '#lib/contracts/values/jobs';

/** SQL of a subquery: how many items of the run of job `j` wait on lanes that an owner paused. */
export const PAUSED_ITEMS = `(
  SELECT coalesce(sum(t.n - t.settled), 0)::int
  FROM run r JOIN target t ON t.run_id = r.id AND t.finished_at IS NULL
    JOIN lane l ON l.id = t.lane_id AND l.paused_at IS NOT NULL
  WHERE j.status IN ('queued', 'running') AND j.type = 'tool_eval' AND r.id = j.result_ref::uuid
    AND r.status IN ('queued', 'running')
)`;

interface Waiting {
  status: string;
  done: number;
  total: number;
  detail: string | null;
  paused_items: number;
}

const WORDS: Record<NonNullable<Job['blocked']>['reason'], string> = {
  paused: 'paused',
  provider: 'provider not answering',
  no_worker: 'no worker',
};

/** What keeps items of a job from starting. */
export function blockedJob({ status, done, total, detail, paused_items: paused }: Waiting): Job['blocked'] {
  if (status !== 'queued' && status !== 'running') return null;
  const left = Math.max(0, total - done);
  if (detail?.startsWith(NO_WORKER)) return blocked('no_worker', left);
  if (paused > 0) return blocked('paused', paused);
  return detail?.startsWith(WAITING_FOR) ? blocked('provider', left) : null;
}

function blocked(reason: NonNullable<Job['blocked']>['reason'], items: number): Job['blocked'] {
  const wait = items === 1 ? '1 item waits' : `${items.toLocaleString('en')} items wait`;
  return { reason, items, text: `${WORDS[reason]}: ${wait}` };
}
