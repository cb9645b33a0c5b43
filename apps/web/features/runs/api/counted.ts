import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { RUN_CASES_SHOWN } from '#lib/contracts/values/runs';
import type {
  Confusion,
  Counting,
  DrawnResults as DrawnSchema,
  FailureGroups,
  RunCases,
  RunFacets,
} from '#lib/contracts/run-facets';
import type { ErrorType } from '#lib/contracts/verdict';
import { read } from '../../../api/client';
import { keys } from '../../../api/keys';

export type CasesShown = (typeof RUN_CASES_SHOWN)[number];
type DrawnResults = z.infer<typeof DrawnSchema>;

/** Polling interval while figures are still being counted. */
const AGAIN_MS = 1000;
/** Figures of an ended run do not change until it is resumed. */
const FRESH_MS = 60_000;

export const isCounting = (answer: object | undefined): answer is Counting =>
  answer !== undefined && 'status' in answer && answer.status === 'counting';

/** Figures of an ended run. They are counted once, and polled until then. */
const countedQuery = <Figures extends object>(
  runId: string,
  path: string,
  given: Record<string, string | undefined> = {},
) => {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(given)) if (value !== undefined) query.set(key, value);
  const whole = query.size > 0 ? `${path}?${query}` : path;
  return queryOptions({
    queryKey: [...keys.counted(runId), whole],
    queryFn: read<Figures | Counting>(`/api/tool-eval/history/${encodeURIComponent(runId)}/${whole}`),
    refetchInterval: ({ state }) => (isCounting(state.data) ? AGAIN_MS : false),
    staleTime: FRESH_MS,
  });
};
export type CountedQuery<Figures extends object> = ReturnType<typeof countedQuery<Figures>>;

// `rescore` selects whose verdicts are counted; undefined for the run's own.

export const facetsQuery = (runId: string, rescore?: string) =>
  countedQuery<RunFacets>(runId, 'facets', { rescore_id: rescore });

/** @param target undefined for all models */
export const confusionQuery = (runId: string, target: string | undefined) =>
  countedQuery<Confusion>(runId, 'confusion', { target });

/** @param type undefined for all error types */
export const failureGroupsQuery = (runId: string, type?: ErrorType, rescore?: string) =>
  countedQuery<FailureGroups>(runId, 'failures', { error_type: type, rescore_id: rescore });

/** A random sample of a group's results. Same seed, same sample. */
export const drawQuery = (runId: string, group: string, seed: number, rescore?: string) =>
  countedQuery<DrawnResults>(runId, `failures/${encodeURIComponent(group)}/draw`, {
    seed: String(seed),
    rescore_id: rescore,
  });

const CASES_A_PAGE = 50;
export const runCasesQuery = (runId: string, show: CasesShown, cursor?: string, rescore?: string) =>
  countedQuery<RunCases>(runId, 'cases', {
    show,
    limit: String(CASES_A_PAGE),
    cursor,
    rescore_id: rescore,
  });
