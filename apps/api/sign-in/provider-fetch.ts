import { isLoopback } from './is-loopback.js';

const TIME_LIMIT_MS = 10_000;
const MAX_BYTES = 2 ** 20;
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** A provider that could not be asked. Nothing follows from it: the next request may reach it. */
export class ProviderUnavailable extends Error {}

/** Sends a request to a provider. Its answer has a limit in time and size, and arrives as a whole. */
export async function providerFetch(url: string, options: RequestInit = {}): Promise<Response> {
  const { protocol, hostname, origin, pathname } = new URL(url);
  const place = origin + pathname;
  if (protocol !== 'https:' && !isLoopback(hostname)) throw new ProviderUnavailable(`${place} is not an https URL`);
  try {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
    const { status } = response;
    if (status >= 500 || status === 429) throw new ProviderUnavailable(`${place} answered ${status}`);
    const bytes = await bytesOf(response, place);
    const headers = new Headers(response.headers);
    headers.delete('content-encoding');
    headers.delete('content-length');
    return new Response(STATUSES_WITHOUT_BODY.has(status) ? null : bytes, { status, headers });
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw error;
    throw new ProviderUnavailable(`${place} cannot be asked: ${reasonOf(error as Error)}`);
  }
}

async function bytesOf({ body }: Response, place: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body ?? []) {
    if ((size += chunk.length) > MAX_BYTES)
      throw new ProviderUnavailable(`${place} answered more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function reasonOf({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return `it took longer than ${TIME_LIMIT_MS / 1000} s`;
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
}
