import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Page } from '#lib/contracts/page';
import type {
  PromptCandidate,
  PromptCandidateDetails,
  PromptTune,
  PromptTuneEstimate,
  PromptTuneSubmitted,
} from '#lib/prompt-tune/contract';
import type { PromptDiff } from '#lib/contracts/prompt-version';
import { client, estimateQuery, pagesQuery, readQuery } from '../../api/client';
import { keys } from '../../api/keys';

const TUNES = '/api/tool-eval/prompt-tune';
const LIST_PAGE = 50;
const CANDIDATES_PAGE = 200;
type Sent = { idempotencyKey: string };

export const promptTunesQuery = (cursor: string | undefined) => ({
  ...readQuery<Page<PromptTune>>(
    [...keys.tuneLists, 'prompts', cursor],
    `${TUNES}/history?${new URLSearchParams({ limit: String(LIST_PAGE), ...(cursor && { cursor }) })}`,
  ),
  placeholderData: keepPreviousData,
});

export const promptTuneQuery = (id: string) => readQuery<PromptTune>(keys.tune(id), `${TUNES}/history/${id}`);

/** The candidates in creation order, which is number order: parents come before children. */
export const candidatesQuery = (id: string) =>
  pagesQuery<PromptCandidate>(
    [...keys.candidates(id), 'list'],
    `${TUNES}/history/${id}/candidates?limit=${CANDIDATES_PAGE}`,
  );

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
  readQuery<PromptCandidateDetails>(
    [...keys.tune(id), 'candidate', candidate],
    `${TUNES}/history/${id}/candidates/${candidate}`,
  );

/** The changes of a candidate against another. A resumed tune may have other candidates. */
export const candidateDiffQuery = (id: string, candidate: number, to: number) =>
  readQuery<PromptDiff>(
    ['diff of candidates', id, candidate, to],
    `${TUNES}/history/${id}/candidates/${candidate}/diff?to=${to}`,
  );

/** @param body the text of a PromptTuneInput; undefined while there is nothing to estimate */
export const promptTuneEstimateQuery = (body: string | undefined) =>
  estimateQuery<PromptTuneEstimate>(keys.tunes, `${TUNES}/estimate`, body);

export const submitPromptTune = (body: string, options: Sent) =>
  client.call<PromptTuneSubmitted>('POST', TUNES, body, options);
export const deletePromptTune = (id: string, options: Sent) =>
  client.call<void>('DELETE', `${TUNES}/history/${id}`, undefined, options);
