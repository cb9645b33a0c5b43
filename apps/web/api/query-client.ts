import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { codeOf, statusOf } from './client';
import { keys } from './keys';
import { tab } from './tab';

const RETRIES = 2;
/** How long query data counts as fresh; events and mutations refresh it earlier. */
const FRESH_MS = 5000;

/** @param isAsked whether the user waits for the answer */
const noticeEnd =
  (isAsked: boolean) =>
  (error: unknown): void => {
    if (statusOf(error) === 401) tab.end(isAsked);
    else if (codeOf(error) === 'not_in_team') tab.giveAway();
  };

/** Retries only what may succeed next time: no response, 429 and 5xx. */
const mayRetry = (failures: number, error: unknown): boolean => {
  const status = statusOf(error);
  return failures < RETRIES && (status === undefined || status === 429 || status >= 500);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd(false) }),
  mutationCache: new MutationCache({ onError: noticeEnd(true) }),
  defaultOptions: {
    queries: {
      retry: mayRetry,
      staleTime: FRESH_MS,
      // It would copy a number that is kept as text into a plain object: 6.0 would become {"rawJSON": "6.0"}.
      structuralSharing: false,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Polling interval where no live events announce changes. */
export const POLL_MS = 5000;

/** Refreshes jobs, runs, tunes, reports, experiments and gates after one changed. @param id of the one that did */
export async function refreshWork(id?: string): Promise<void> {
  const changed: QueryKey[] = [
    ...[keys.jobs, keys.home, keys.runLists, keys.tuneLists, keys.reportLists, keys.experiments, keys.gates],
    ...(id === undefined ? [] : [keys.run(id), keys.tune(id), keys.report(id)]),
  ];
  await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
