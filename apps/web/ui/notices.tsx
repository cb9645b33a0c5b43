import { type Query, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { ApiError } from '#lib/client/api-client';
import { isNoAnswer, statusOf } from '../api/client';
import { UserText } from './user-text';

/** The API's error message, and how to continue. */
export function ErrorNotice({ error, retry, children }: { error: Error; retry?: () => unknown; children?: ReactNode }) {
  const problem = error instanceof ApiError ? error.problem : undefined;
  // The message already contains a single fault.
  const errors = (problem?.errors ?? []).filter(({ message }) => !problem!.detail.includes(message));
  return (
    <div className="problem" role="alert">
      <p>
        <UserText text={problem?.detail ?? noAnswer(error)} />
      </p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code className="given">{path || '/'}</code> <UserText text={message} />
            </li>
          ))}
        </ul>
      )}
      {children}
      {retry && <Retry retry={retry} afterS={error instanceof ApiError ? error.retryAfterS : undefined} />}
    </div>
  );
}

const noAnswer = (error: Error): string =>
  isNoAnswer(error) ? 'The server does not answer. Is it running and reachable?' : error.message;

/** Waits as long as the server asked. */
function Retry({ retry, afterS }: { retry: () => unknown; afterS: number | undefined }) {
  const [waits, setWaits] = useState(afterS !== undefined);
  useEffect(() => {
    if (afterS === undefined) return;
    const timer = setTimeout(() => setWaits(false), afterS * 1000);
    return () => clearTimeout(timer);
  }, [afterS]);
  return (
    <button type="button" disabled={waits} onClick={() => void retry()}>
      {waits ? `Retry in ${afterS} s` : 'Retry'}
    </button>
  );
}

/** What was deleted meanwhile, or must not be read any more, cannot be refreshed by trying again. */
const GONE = [403, 404];
const isStale = (query: Query): boolean => {
  const { status, data, error, fetchMeta } = query.state;
  // A next page that failed is said where it was asked for.
  return query.isActive() && status === 'error' && data !== undefined && !fetchMeta?.fetchMore && !isGone(error);
};
const isGone = (error: unknown): boolean => GONE.includes(statusOf(error) ?? 0);

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

const MAX_SHOWN = 100;

/** Where the API deviated from the request, or what an author should look at. Renders nothing without warnings. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className="notice">
      <p>
        <strong>{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</strong>
      </p>
      <ul>
        {warnings.slice(0, MAX_SHOWN).map((warning, index) => (
          <li key={index}>
            <UserText text={warning} />
          </li>
        ))}
      </ul>
      {warnings.length > MAX_SHOWN && <p>And {warnings.length - MAX_SHOWN} more.</p>}
    </div>
  );
}
