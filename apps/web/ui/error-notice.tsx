import { useEffect, useState, type ReactNode } from 'react';
import { ApiError } from '#lib/client/api-client';
import { isNoAnswer } from '../api/client';
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
