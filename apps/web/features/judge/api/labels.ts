import { queryOptions } from '@tanstack/react-query';
import type { Label, LabelInput, LabelQueue } from '#lib/contracts/label';
import type { Page } from '#lib/contracts/page';
import { client, read } from '../../../api/client';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';

type Sent = { idempotencyKey: string };

/** A result of a run. */
export interface LabelledResult {
  runId: string;
  resultId: string;
}
const pathOf = ({ runId, resultId }: LabelledResult): string =>
  `/api/tool-eval/history/${encodeURIComponent(runId)}/results/${encodeURIComponent(resultId)}/label`;

/** People's labels of a result: the first 200. */
export const labelsOfResultQuery = ({ runId, resultId }: LabelledResult) =>
  queryOptions({
    queryKey: [...keys.labels(runId), resultId],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ result_id: resultId, limit: '200' });
      const path = `/api/tool-eval/history/${encodeURIComponent(runId)}/labels?${query}`;
      return client.call<Page<Label>>('GET', path, undefined, { signal });
    },
  });

export const putLabel = ({ label, note, ...result }: LabelledResult & LabelInput, options: Sent) =>
  client.call<Label>('PUT', pathOf(result), { label, note }, options);
export const deleteLabel = (result: LabelledResult, options: Sent) =>
  client.call<void>('DELETE', pathOf(result), undefined, options);

/** Refreshes after a label was given or withdrawn: it counts for the judges of its result. The drawn queue stays. */
export async function refreshLabels(runId: string): Promise<void> {
  const { judge, queues } = keys;
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.labels(runId) }),
    queryClient.invalidateQueries({ queryKey: judge, predicate: ({ queryKey }) => queryKey[1] !== queues[1] }),
  ]);
}

export interface QueueQuery {
  run?: string;
  judge?: string;
  limit: number;
  /** A new number draws again among results without a label; a draw stays unchanged until the next. */
  draw: number;
}
export const labelQueueQuery = ({ run, judge, limit, draw }: QueueQuery) => {
  const query = new URLSearchParams({ limit: String(limit), ...(run && { eval_id: run }), ...(judge && { judge }) });
  return queryOptions({
    queryKey: [...keys.queues, String(query), draw],
    queryFn: read<LabelQueue>(`/api/judge/label-queue?${query}`),
    staleTime: Infinity,
    gcTime: 0,
  });
};
