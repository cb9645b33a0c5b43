import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { ErrorNotice } from './notices';

/** A button that explains why it is disabled, in its title and to screen readers. */
export function AllowedButton({ refusal, ...button }: ComponentProps<'button'> & { refusal: string | undefined }) {
  const id = useId();
  if (refusal === undefined) return <button type="button" {...button} />;
  return (
    <span className="actions">
      <button type="button" {...button} disabled title={refusal} aria-describedby={id} />
      <span id={id} className="muted small">
        {refusal}
      </span>
    </span>
  );
}

/** Copies a text and confirms it. @param done the confirmation; it disappears when the text changes */
export function CopyButton({ text, label, done = 'Copied' }: { text: string; label: string; done?: string }) {
  const [said, setSaid] = useState<{ of: string; words: string }>();
  const say = (words: string): void => setSaid({ of: text, words });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(done);
    } catch {
      say('Not copied: refused by the browser');
    }
  };
  return (
    <button type="button" className="dense" onClick={() => void copy()}>
      {said?.of === text ? said.words : label}
    </button>
  );
}

const SHOWN = 8;

/** The end of an id, which distinguishes ids of the same day, and a button that copies the whole id. */
export function CopiedId({ id, what }: { id: string; what: string }) {
  const [said, setSaid] = useState('');
  const copy = (): void => {
    navigator.clipboard?.writeText(id).then(
      () => setSaid('Copied'),
      () => setSaid('Not copied'),
    );
  };
  return (
    <span className="small muted">
      <code title={id}>{id.slice(-SHOWN)}</code>{' '}
      <button type="button" className="plain dense" onClick={copy} aria-label={`Copy the id of the ${what}`}>
        {said || 'Copy'}
      </button>
    </span>
  );
}

interface Props {
  /** What `useSuspenseInfiniteQuery` or `useInfiniteQuery` returns. */
  of: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: Error | null;
    fetchNextPage: () => Promise<unknown>;
  };
  isDense?: boolean;
  children: ReactNode;
}

/** Fetches the next page of a list, while there is one. If that failed, it says why. */
export function MoreButton({ of, isDense, children }: Props) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = of;
  if (!hasNextPage) return null;
  const more = () => void fetchNextPage();
  return (
    <div>
      {isFetchNextPageError && error && !isFetchingNextPage && <ErrorNotice error={error} retry={more} />}
      <button type="button" className={isDense ? 'dense' : undefined} disabled={isFetchingNextPage} onClick={more}>
        {children}
      </button>
    </div>
  );
}
