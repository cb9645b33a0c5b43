import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Page } from '#lib/contracts/page';
import type {
  PromptCandidate,
  PromptCandidateDetails,
  PromptTune,
  PromptTuneEstimate,
  PromptTuneSubmitted,
} from '#lib/prompt-tune/contract';
import type { PromptDiff } from '#lib/contracts/prompt-version';
import { client, statusOf } from './client';
import { keys } from './keys';

const TUNES = '/api/tool-eval/prompt-tune';
const LIST_PAGE = 50;
const CANDIDATES_PAGE = 200;
type Sent = { idempotencyKey: string };

export const promptTunesQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: [...keys.tuneLists, 'prompts', cursor],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ limit: String(LIST_PAGE), ...(cursor && { cursor }) });
      return client.call<Page<PromptTune>>('GET', `${TUNES}/history?${query}`, undefined, { signal });
    },
    placeholderData: keepPreviousData,
  });

export const promptTuneQuery = (id: string) =>
  queryOptions({
    queryKey: keys.tune(id),
    queryFn: ({ signal }) => client.call<PromptTune>('GET', `${TUNES}/history/${id}`, undefined, { signal }),
  });

/** The candidates in creation order, which is number order: parents come before children. */
export const candidatesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.candidates(id), 'list'],
    queryFn: ({ pageParam, signal }) => {
      const path = `${TUNES}/history/${id}/candidates?limit=${CANDIDATES_PAGE}${pageParam}`;
      return client.call<Page<PromptCandidate>>('GET', path, undefined, { signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : `&cursor=${cursor}`),
  });

const LEADING = ['best', 'finalist', 'front'] as const;

/** The leading candidates: those of the front, and those selected at the end. The first 200 of each state. */
export const leadingQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.candidates(id), 'leading'],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        LEADING.map((state) => {
          const path = `${TUNES}/history/${id}/candidates?limit=${CANDIDATES_PAGE}&state=${state}`;
          return client.call<Page<PromptCandidate>>('GET', path, undefined, { signal });
        }),
      );
      return pages.flatMap(({ items }) => items);
    },
  });

export const candidateQuery = (id: string, candidate: number) =>
  queryOptions({
    queryKey: [...keys.tune(id), 'candidate', candidate],
    queryFn: ({ signal }) =>
      client.call<PromptCandidateDetails>('GET', `${TUNES}/history/${id}/candidates/${candidate}`, undefined, {
        signal,
      }),
  });

/** The changes of a candidate against another. A resumed tune may have other candidates. */
export const candidateDiffQuery = (id: string, candidate: number, to: number) =>
  queryOptions({
    queryKey: ['diff of candidates', id, candidate, to],
    queryFn: ({ signal }) => {
      const path = `${TUNES}/history/${id}/candidates/${candidate}/diff?to=${to}`;
      return client.call<PromptDiff>('GET', path, undefined, { signal });
    },
  });

/** @param body the text of a PromptTuneInput; undefined while there is nothing to estimate */
export const promptTuneEstimateQuery = (body: string | undefined) =>
  queryOptions({
    queryKey: [...keys.tunes, 'estimate of prompts', body],
    queryFn: ({ signal }) => client.call<PromptTuneEstimate>('POST', `${TUNES}/estimate`, body, { signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    // Invalid input stays invalid: no retry.
    retry: (failures, error) => failures < 1 && (statusOf(error) ?? 500) >= 500,
  });

export const submitPromptTune = (body: string, options: Sent) =>
  client.call<PromptTuneSubmitted>('POST', TUNES, body, options);
export const deletePromptTune = (id: string, options: Sent) =>
  client.call<void>('DELETE', `${TUNES}/history/${id}`, undefined, options);
