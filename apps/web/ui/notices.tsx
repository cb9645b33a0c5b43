import { type Query, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { ApiError } from '#lib/client/api-client';
import { fieldOf } from '#lib/contracts/input/pointer';
import type { Note } from '#lib/contracts/note';
import { isNoAnswer, statusOf } from '../api/client';
import { tab } from '../api/tab';
import { count } from './amounts';
import { WayOut } from './problem-words';
import { UserText } from './user-text';

/** The API's error message, and how to continue. */
export function ErrorNotice({ error, retry, children }: { error: Error; retry?: () => unknown; children?: ReactNode }) {
  const problem = error instanceof ApiError ? error.problem : undefined;
  const isBack = useSyncExternalStore(tab.subscribe, isSignedIn);
  // The message already contains a single fault.
  const errors = (problem?.errors ?? []).filter(({ message }) => !problem!.detail.includes(message));
  return (
    <div className="problem" role="alert">
      <p>
        <UserText
          text={problem?.status === 401 ? (isBack ? SIGNED_IN : ENDED) : (problem?.detail ?? noAnswer(error))}
        />
      </p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <span className="given">{fieldOf(path)}</span>} <UserText text={message} />
            </li>
          ))}
        </ul>
      )}
      {children}
      <WayOut code={problem?.code} params={problem?.params} />
      {retry && <Retry retry={retry} afterS={error instanceof ApiError ? error.retryAfterS : undefined} />}
    </div>
  );
}

const isSignedIn = (): boolean => tab.owner() !== undefined && tab.state() === 'valid';
const ENDED = 'Your session has ended. Sign in again.';
const SIGNED_IN = 'Your session had ended before this was done. You are signed in again: try once more.';
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

/** What was deleted meanwhile, or must not be read any more: trying again does not help. */
const GONE = [401, 403, 404];
const isStale = (query: Query): boolean => {
  const { status, data, error, fetchMeta } = query.state;
  // A next page that failed is said where it was asked for.
  return query.isActive() && status === 'error' && data !== undefined && !fetchMeta?.fetchMore && !isGone(error);
};
const isGone = (error: unknown): boolean => GONE.includes(statusOf(error) ?? 0);

/** Refused for now: it is asked for again by itself. */
const isHeldUp = ({ state: { fetchStatus, fetchFailureReason: reason } }: Query): boolean =>
  fetchStatus === 'fetching' && statusOf(reason) === 429;

/** Above content that could not be refreshed, or not yet: the error, and how old the content is. */
export function StaleNotice() {
  const queryClient = useQueryClient();
  const cache = queryClient.getQueryCache();
  const state = useSyncExternalStore(
    useCallback((listener) => cache.subscribe(listener), [cache]),
    () => (cache.getAll().find(isHeldUp) ?? cache.getAll().find(isStale))?.state,
  );
  if (state?.fetchStatus === 'fetching' && state.fetchFailureReason)
    return (
      <ErrorNotice error={state.fetchFailureReason}>
        <p>Loading goes on by itself.</p>
      </ErrorNotice>
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
export const Warnings = ({ warnings }: { warnings: readonly string[] }) => (
  <NoteList title="warning" notes={warnings.map((text) => ({ text }))} />
);

/** An answer with notes. */
export interface Noted {
  notes: string[];
  note_details?: Note[];
}

/** What to know before trusting figures, each with what helps. Answers of an earlier release have texts alone. */
export const Notes = ({ of: { notes, note_details: details } }: { of: Noted }) => (
  <NoteList title="note" notes={details ?? notes.map((text) => ({ text }))} />
);

function NoteList({ title, notes }: { title: string; notes: readonly (Pick<Note, 'text'> & Partial<Note>)[] }) {
  if (notes.length === 0) return null;
  return (
    <div className="notice">
      <p>
        <strong>{notes.length === 1 ? `1 ${title}` : `${count(notes.length)} ${title}s`}</strong>
      </p>
      <ul>
        {notes.slice(0, MAX_SHOWN).map(({ text, code, params }, index) => (
          <li key={index}>
            <UserText text={text} /> <WayOut code={code} params={params} />
          </li>
        ))}
      </ul>
      {notes.length > MAX_SHOWN && <p>And {count(notes.length - MAX_SHOWN)} more.</p>}
    </div>
  );
}
