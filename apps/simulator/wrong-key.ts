import type { IncomingMessage } from 'node:http';

const KEY_HEADERS = new Set(['authorization', 'x-api-key', 'x-goog-api-key']);

/**
 * Whether a request carries the key `wrong`. Reads the raw headers, since building an object of them takes longer than
 * reading the rest of the request.
 */
export const hasWrongKey = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.some(
    (value, index) =>
      (value === 'Bearer wrong' || value === 'wrong') && KEY_HEADERS.has(rawHeaders[index - 1]?.toLowerCase() ?? ''),
  );
