import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Page } from '#lib/contracts/page';
import type { Rescore as RescoreSchema, RescoreSubmitted as SubmittedSchema } from '#lib/contracts/rescore';
import { client, read } from '../../../api/client';
import { keys } from '../../../api/keys';

export type Rescore = z.infer<typeof RescoreSchema>;
type RescoreSubmitted = z.infer<typeof SubmittedSchema>;

const pathOf = (runId: string): string => `/api/tool-eval/history/${encodeURIComponent(runId)}`;
const SHOWN = 10;
/** The end of a rescore sends no run event. */
const POLL_MS = 1000;
const hasEnded = ({ status }: Rescore): boolean => status !== 'pending' && status !== 'queued' && status !== 'running';

/** The newest rescores of a run. They are polled while one is in progress. */
export const rescoresQuery = (runId: string) =>
  queryOptions({
    queryKey: [...keys.run(runId), 'rescores'],
    queryFn: read<Page<Rescore>>(`${pathOf(runId)}/rescores?limit=${SHOWN}`),
    refetchInterval: ({ state }) => (state.data?.items.every(hasEnded) === false ? POLL_MS : false),
  });

/** @param body the text of a RescoreInput */
export const rescoreRun = (
  { runId, body }: { runId: string; body: string },
  options: { idempotencyKey: string },
): Promise<RescoreSubmitted> => client.call('POST', `${pathOf(runId)}/rescore`, body, options);
