import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from '#lib/client/api-client';
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

/** The longest wait that the server may ask for; beyond it, the user decides. */
const MOST_WAIT_S = 60;
const waitOf = (error: unknown): number | undefined => (error instanceof ApiError ? error.retryAfterS : undefined);

/** Retries only what may succeed next time: no response, 429 and 5xx. */
const mayRetry = (failures: number, error: unknown): boolean => {
  const status = statusOf(error);
  const isTransient = status === undefined || status === 429 || status >= 500;
  return failures < RETRIES && isTransient && (waitOf(error) ?? 0) <= MOST_WAIT_S;
};

/** As long as the server asks, and not in all tabs together. */
const retryDelay = (failures: number, error: unknown): number =>
  (waitOf(error) ?? 2 ** failures) * 1000 * (1 + Math.random() / 4);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd(false) }),
  mutationCache: new MutationCache({ onError: noticeEnd(true) }),
  defaultOptions: {
    queries: {
      retry: mayRetry,
      retryDelay,
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
