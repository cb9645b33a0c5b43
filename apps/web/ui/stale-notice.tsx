import { useQueryClient, type Query } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ErrorNotice } from './error-notice';

const isStale = (query: Query): boolean =>
  query.isActive() && query.state.status === 'error' && query.state.data !== undefined;

/** Above content that could not be refreshed: the error, and how old the content is. */
export function StaleNotice() {
  const queryClient = useQueryClient();
  const cache = queryClient.getQueryCache();
  const state = useSyncExternalStore(
    useCallback((listener) => cache.subscribe(listener), [cache]),
    () => cache.getAll().find(isStale)?.state,
  );
  if (!state?.error) return null;
  return (
    <ErrorNotice error={state.error} retry={() => queryClient.refetchQueries({ predicate: isStale })}>
      <p>Shown as of {new Date(state.dataUpdatedAt).toLocaleTimeString()}.</p>
    </ErrorNotice>
  );
}
