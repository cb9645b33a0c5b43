import type { ReactNode } from 'react';

interface Props {
  /** What `useSuspenseInfiniteQuery` or `useInfiniteQuery` returns. */
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
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
