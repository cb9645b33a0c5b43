import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { statusOf } from './client';

const RETRIES = 2;
/** How long query data counts as fresh; events and mutations refresh it earlier. */
const FRESH_MS = 5000;

type Listener = () => void;
let onSignedOut: Listener = () => {};
/** @param listener is called when the session has become invalid */
export function whenSignedOut(listener: Listener): void {
  onSignedOut = listener;
}
const notice401 = (error: unknown): void => {
  if (statusOf(error) === 401) onSignedOut();
};

/** Retries only what may succeed next time: no response, 429 and 5xx. */
const mayRetry = (failures: number, error: unknown): boolean => {
  const status = statusOf(error);
  return failures < RETRIES && (status === undefined || status === 429 || status >= 500);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notice401 }),
  mutationCache: new MutationCache({ onError: notice401 }),
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
