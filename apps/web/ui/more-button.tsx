import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';

interface Props {
  of: UseInfiniteQueryResult<InfiniteData<unknown>>;
  isDense?: boolean;
  children: ReactNode;
}

/** Fetches the next page of a list, while there is one. */
export const MoreButton = ({ of: { hasNextPage, isFetchingNextPage, fetchNextPage }, isDense, children }: Props) =>
  hasNextPage && (
    <div>
      <button
        type="button"
        className={isDense ? 'dense' : undefined}
        disabled={isFetchingNextPage}
        onClick={() => void fetchNextPage()}
      >
        {children}
      </button>
    </div>
  );
