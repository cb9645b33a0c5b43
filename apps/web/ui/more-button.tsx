import type { ReactNode } from 'react';

interface Props {
  /** The infinite query of the list. */
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
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
