import type { UseQueryResult } from '@tanstack/react-query';
import { Failed } from './failed';

/** Above content that could not be refreshed: the error, and how old the content is. */
export const Stale = ({ query: { data, error, dataUpdatedAt, refetch } }: { query: UseQueryResult }) =>
  error && (
    <Failed error={error} retry={refetch}>
      {data !== undefined && <p>Shown as of {new Date(dataUpdatedAt).toLocaleTimeString()}.</p>}
    </Failed>
  );
