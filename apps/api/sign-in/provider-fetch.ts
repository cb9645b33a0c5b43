import { isUntrusted } from '#lib/egress/authorities';
import type { EgressSettings } from '#lib/egress/egress';
import { hostOf, portOf } from '#lib/egress/policy';
import { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import { ResponseTooLarge } from '#lib/providers/guarded/response-limits';
import { isHostPattern } from '#lib/runtime/host-list';
import { isLoopback } from './is-loopback.js';

const TIME_LIMIT_MS = 10_000;
const MAX_BYTES = 2 ** 20;
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** A provider that could not be asked. Nothing follows from it: the next request may reach it. */
export class ProviderUnavailable extends Error {}

export type ProviderFetch = (url: string, options?: RequestInit) => Promise<Response>;

/**
 * Makes a function that sends requests to a provider, through the same guard and proxies as all others. The host of its
 * issuer, which the operator has named, may have a private address. Answers have a limit in time and size, and arrive
 * as a whole.
 */
export function createProviderFetch(egress: EgressSettings, issuer: string): ProviderFetch {
  const host = patternOf(new URL(issuer));
  const guarded = createGuardedFetch({
    egress: isHostPattern(host) ? { ...egress, allowedNetworks: [...egress.allowedNetworks, host] } : egress,
    maxBytes: MAX_BYTES,
    redactsPrivate: false,
  });
  return async (url, { method, headers, body } = {}) => {
    const { protocol, hostname, origin, pathname } = new URL(url);
    const place = origin + pathname;
    if (protocol !== 'https:' && !isLoopback(hostname)) throw new ProviderUnavailable(`${place} is not an https URL`);
    try {
      const response = await guarded.fetch(url, {
        method,
        headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' },
        body: body ? String(body as string | URLSearchParams) : undefined,
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
      });
      const { status } = response;
      if (status >= 500 || status === 429) throw new ProviderUnavailable(`${place} answered ${status}`);
      const answered = new Headers(response.headers);
      answered.delete('content-length');
      return new Response(STATUSES_WITHOUT_BODY.has(status) ? null : await response.text(), {
        status,
        headers: answered,
      });
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw error;
      if (error instanceof ResponseTooLarge)
        throw new ProviderUnavailable(`${place} answered more than ${MAX_BYTES} bytes`);
      throw new ProviderUnavailable(`${place} cannot be asked: ${reasonOf(error as NodeJS.ErrnoException)}`);
    }
  };
}

const patternOf = (url: URL): string => {
  const host = hostOf(url).replace(/\.$/, '');
  return `${host.includes(':') ? `[${host}]` : host}:${portOf(url)}`;
};

function reasonOf({ name, message, code, cause }: NodeJS.ErrnoException): string {
  if (name === 'TimeoutError') return `it took longer than ${TIME_LIMIT_MS / 1000} s`;
  if (isUntrusted(code)) return `its certificate cannot be trusted (${code}). Add its authority with TOOLMARK_EXTRA_CA`;
  return message || String(code ?? (cause as Error | undefined)?.message);
}
