import { queryOptions } from '@tanstack/react-query';
import type { Label, LabelInput, LabelQueue } from '#lib/contracts/label';
import type { Sent } from '../../api/action';
import { client, pathWith, read } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { runPath, type LabelledResult } from './api';

// To label results. The first view does without.

export interface QueueFilter {
  run: string | undefined;
  judge: string | undefined;
  limit: number;
  /** A new number draws again among results without a label; a draw stays unchanged until the next. */
  draw: number;
}

export const labelQueueQuery = ({ run, judge, limit, draw }: QueueFilter) => {
  const path = pathWith('/api/judge/label-queue', { limit, eval_id: run, judge });
  return queryOptions({
    queryKey: [...keys.queues, path, draw],
    queryFn: read<LabelQueue>(path),
    staleTime: Infinity,
    gcTime: 0,
  });
};

const labelPath = ({ runId, resultId }: LabelledResult): string =>
  `${runPath(runId)}/results/${encodeURIComponent(resultId)}/label`;

export const putLabel = ({ label, note, ...result }: LabelledResult & LabelInput, options: Sent): Promise<Label> =>
  client.call('PUT', labelPath(result), { label, note }, options);

export const deleteLabel = (result: LabelledResult, options: Sent): Promise<void> =>
  client.call('DELETE', labelPath(result), undefined, options);

/** Refreshes after a label was given or withdrawn: it counts for the judges of its result. The drawn queue stays. */
export async function refreshLabels(runId: string): Promise<void> {
  const { judge, queues } = keys;
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.labels(runId) }),
    queryClient.invalidateQueries({ queryKey: judge, predicate: ({ queryKey }) => queryKey[1] !== queues[1] }),
  ]);
}
