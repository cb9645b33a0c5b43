import type { UseQueryResult } from '@tanstack/react-query';
import { ErrorNotice } from './error-notice';

/** Above content that could not be refreshed: the error, and how old the content is. */
export const Stale = ({ query: { data, error, dataUpdatedAt, refetch } }: { query: UseQueryResult }) =>
  error && (
    <ErrorNotice error={error} retry={refetch}>
      {data !== undefined && <p>Shown as of {new Date(dataUpdatedAt).toLocaleTimeString()}.</p>}
    </ErrorNotice>
  );
