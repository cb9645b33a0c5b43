import { focusManager, onlineManager, QueryErrorResetBoundary, useQueryClient } from '@tanstack/react-query';
import { CatchBoundary } from '@tanstack/react-router';
import { Suspense, useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { ErrorNotice } from './notices';

/** A placeholder of the same height for content whose loading takes longer than 300 ms. */
export function Skeleton({ rows = 3, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-busy="true">
      <div className="skeleton" style={{ height: rows * 32 }} />
      <span className="unseen">{label}</span>
    </div>
  );
}

interface Props {
  /** The height reserved for the content, in rows. */
  rows?: number;
  /** What the wait is for, if not loading. */
  label?: string;
  children: ReactNode;
}

/** Content that reads with `useSuspenseQuery`: a placeholder until it is there, or the error with a way to retry. */
export const QueryBoundary = (props: Props) => (
  <QueryErrorResetBoundary>{({ reset }) => <Boundary {...props} resetQueries={reset} />}</QueryErrorResetBoundary>
);

function Boundary({ rows, label, children, resetQueries }: Props & { resetQueries: () => void }) {
  // What failed before, elsewhere, is asked for again where it is shown.
  useState(resetQueries);
  return (
    <CatchBoundary
      // Another address may ask for something else.
      getResetKey={() => location.href}
      errorComponent={({ error, reset }) => (
        <FailedPart
          error={error as Error}
          retry={() => {
            resetQueries();
            reset();
          }}
        />
      )}
    >
      <Suspense fallback={<Skeleton rows={rows} label={label} />}>{children}</Suspense>
    </CatchBoundary>
  );
}

/** Nothing observes the query of a part that failed, so this retries when its observer would have fetched again. */
function FailedPart({ error, retry }: { error: Error; retry: () => void }) {
  const cache = useQueryClient().getQueryCache();
  const onNews = useEffectEvent(retry);
  useEffect(() => {
    const stops = [
      cache.subscribe((event) => {
        const isFailed = event.query.state.status === 'error' && event.query.state.data === undefined;
        if (event.type === 'updated' && event.action.type === 'invalidate' && isFailed) onNews();
      }),
      focusManager.subscribe((isFocused) => isFocused && onNews()),
      onlineManager.subscribe((isOnline) => isOnline && onNews()),
    ];
    return () => stops.forEach((stop) => stop());
  }, [cache]);
  return <ErrorNotice error={error} retry={retry} />;
}

interface SectionProps extends Props {
  /** Unique in the page: what a link to the section ends with. */
  id: string;
  title: ReactNode;
  /** Shown next to the title. */
  action?: ReactNode;
}

/** A part of a screen with its heading. It waits for its own queries. */
export const Section = ({ id, title, action, children, ...boundary }: SectionProps) => (
  <section aria-labelledby={id} className="section">
    {action ? (
      <div className="head">
        <h2 id={id}>{title}</h2>
        {action}
      </div>
    ) : (
      <h2 id={id}>{title}</h2>
    )}
    <QueryBoundary {...boundary}>{children}</QueryBoundary>
  </section>
);
