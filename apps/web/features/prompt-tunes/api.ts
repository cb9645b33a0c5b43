import { queryOptions } from '@tanstack/react-query';
import type { Page } from '#lib/contracts/page';
import type { PromptDiff } from '#lib/contracts/prompt-version';
import type {
  PromptCandidate,
  PromptCandidateDetails,
  PromptTune,
  PromptTuneEstimate,
} from '#lib/prompt-tune/contract';
import { pagesQuery, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { tunesAt } from '../tunes/api';

const CANDIDATES_PAGE = 200;
const LEADING = ['best', 'finalist', 'front'] as const;

export const promptTunes = tunesAt<PromptTune, PromptTuneEstimate>('/api/tool-eval/prompt-tune');

const candidatesPath = (id: string, state?: (typeof LEADING)[number]): string =>
  pathWith(`${promptTunes.pathOf(id)}/candidates`, { limit: CANDIDATES_PAGE, state });

/** The candidates in creation order, which is number order: parents come before children. */
export const candidatesQuery = (id: string) => pagesQuery<PromptCandidate>(keys.candidates(id), candidatesPath(id));

/** The leading candidates: those of the front, and those selected at the end. The first 200 of each state. */
export const leadingQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.candidates(id), 'leading'],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        LEADING.map((state) => read<Page<PromptCandidate>>(candidatesPath(id, state))({ signal })),
      );
      return pages.flatMap(({ items }) => items);
    },
  });

export const candidateQuery = (id: string, candidate: number) =>
  readQuery<PromptCandidateDetails>(keys.tune(id), `${promptTunes.pathOf(id)}/candidates/${candidate}`);

/** The changes of a candidate against another. The many events of a tune do not refresh them. */
export const candidateDiffQuery = (id: string, candidate: number, to: number) =>
  readQuery<PromptDiff>(['diff of candidates'], `${promptTunes.pathOf(id)}/candidates/${candidate}/diff?to=${to}`);
