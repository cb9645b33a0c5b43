import type { SearchAnswer } from '#lib/contracts/search';
import { SEARCH_TYPES, type SearchType } from '#lib/contracts/values/search';
import { pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';

const searchQuery = (q: string, types: readonly SearchType[]) => ({
  ...readQuery<SearchAnswer>(keys.search, pathWith('/api/search', { q, types: types.join(','), limit: 20 })),
  enabled: q !== '',
  staleTime: 10_000,
});

/** What is found by its name. Cases, whose prompts take longer to look through, come after it. */
export const namesQuery = (q: string) =>
  searchQuery(
    q,
    SEARCH_TYPES.filter((type) => type !== 'case'),
  );
export const casesQuery = (q: string) => searchQuery(q, ['case']);
