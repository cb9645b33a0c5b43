/** What a search finds, in the order in which equal matches are listed. */
export const SEARCH_TYPES = ['suite', 'run', 'model', 'experiment', 'gate', 'prompt', 'case'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];
