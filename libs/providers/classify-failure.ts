import { endWithPeriod } from '#lib/contracts/input/problem';
import type { Endpoint } from './dialects/dialect.js';
import { ProviderFailure } from './failure.js';
import { isUntrusted } from '#lib/egress/authorities';
import { AddressNotAllowed } from '#lib/egress/policy';
import { ProxyProblem } from '#lib/egress/proxy';
import { ResponseTooLarge, ResponseTooSlow } from './guarded/response-limits.js';
import { saysModelMissing } from './model-missing.js';
import { kindOfFailure } from './replies/host-failure.js';
import { readAskedWait } from './retry-after.js';

/** The part of an error response that a failure keeps. */
const MAX_KEPT_CHARACTERS = 100_000;

/** Where a request went, and with which credentials. */
type Asked = Pick<Endpoint, 'baseUrl'> & Partial<Pick<Endpoint, 'apiKey' | 'headers' | 'clientCertificate'>>;

/** What of a request a host may have refused, and what its user can check. */
function credentialsOf({ apiKey, headers = {}, clientCertificate }: Asked): { what: string; check: string } {
  const names = Object.keys(headers).join(', ');
  const found = [
    ...(apiKey != null || (!names && !clientCertificate) ? [{ what: 'the key', check: 'api_key' }] : []),
    ...(names ? [{ what: 'the headers', check: `headers (${names})` }] : []),
    ...(clientCertificate ? [{ what: 'the client certificate', check: 'client certificate' }] : []),
  ];
  return { what: found.map(({ what }) => what).join(' or '), check: found.map(({ check }) => check).join(' and ') };
}

/** Classifies an HTTP status other than 2xx, and says what the user can do about it. */
export function classifyStatus(
  ...[status, headers, error, text, endpoint]: Parameters<typeof classify>
): ProviderFailure {
  const failure = classify(status, headers, error, text, endpoint);
  failure.isModelMissing = failure.kind === 'bad_request' && saysModelMissing(status, failure.body ?? '');
  return failure;
}

function classify(
  status: number,
  headers: Headers | undefined,
  error: unknown,
  text: string,
  endpoint: Asked,
): ProviderFailure {
  const host = new URL(endpoint.baseUrl).host;
  const body = JSON.stringify({ error: error ?? text }).slice(0, MAX_KEPT_CHARACTERS);
  const message = messageIn(error) ?? text;
  const isHtml = /<(!doctype|html)/i.test(message);
  const quote = isHtml ? 'a web page' : message;
  const askedWait = (isRefused: boolean): number | undefined =>
    readAskedWait(headers, error, { message, body, isRefused });
  const fail = (kind: ProviderFailure['kind'], why: string): ProviderFailure =>
    new ProviderFailure(kind, why, false, undefined, status, body);
  const retryable = (kind: ProviderFailure['kind']): ProviderFailure =>
    new ProviderFailure(kind, `${host} answered ${status}: ${quote}`, true, askedWait(false), status, body);

  const kind = kindOfFailure(status, `${message.slice(0, 1000)} ${body.slice(0, 4000)}`);
  // Anthropic answers 400 when the monthly limit that an organization has set itself is reached.
  if (status === 429 || (status === 400 && /\bregain access on\b/i.test(message.slice(0, 1000)))) {
    const waitMs = askedWait(true);
    const isRetryable = !isQuotaSpent(body, waitMs);
    const why = `${host} answered ${status}: ${quote}`;
    return new ProviderFailure('rate_limited', why, isRetryable, waitMs ?? 0, status, body);
  }
  if (kind === 'rate_limited')
    return fail(kind, `${host} answered ${status}: ${endWithPeriod(quote)} Add credit to the account there.`);
  if (kind === 'blocked')
    return fail(kind, `A filter of ${host} blocked the request before the model answered: ${quote}`);
  if (kind === 'auth') {
    const { what, check } = credentialsOf(endpoint);
    return fail(kind, `${host} refused ${what} (${status}): ${endWithPeriod(quote)} Check the provider's ${check}.`);
  }
  if (kind === 'timeout' || kind === 'provider_5xx' || status === 409) return retryable(kind);
  if (status >= 300 && status < 400) {
    const location = headers?.get('location') ?? 'another address';
    return fail(
      kind,
      `${host} redirects to ${location}. Redirects are not followed: set base_url to the final address.`,
    );
  }
  if (status === 404) {
    const advice = "Check the base URL (most end in /v1) and the model's id.";
    return fail('bad_request', `${host} answered 404: ${endWithPeriod(quote)} ${advice}`);
  }
  return fail('bad_request', `${host} answered ${status}: ${quote}`);
}

/**
 * Waiting does not restore a used-up quota, unless the provider names a wait. Google mentions billing in every 429, and
 * a limit of 0 if the account has none.
 */
const isQuotaSpent = (body: string, retryAfterMs: number | undefined): boolean =>
  /insufficient_quota|\blimit: 0(?![.\d])/i.test(body) || (retryAfterMs === undefined && /billing/i.test(body));

/** Classifies a connection error: DNS, certificates, resets, responses that are too large. */
export function classifyError(error: unknown, baseUrl: string): ProviderFailure {
  const host = new URL(baseUrl).host;
  const causes = causesOf(error);
  const known = causes.find(
    (cause) =>
      cause instanceof ResponseTooLarge ||
      cause instanceof ResponseTooSlow ||
      cause instanceof AddressNotAllowed ||
      cause instanceof ProxyProblem,
  );
  if (known instanceof ResponseTooLarge) return new ProviderFailure('bad_response', known.message, false);
  if (known instanceof ResponseTooSlow) return new ProviderFailure('timeout', known.message, false);
  if (known instanceof AddressNotAllowed) return new ProviderFailure('network', known.message, false);
  if (known instanceof ProxyProblem) return new ProviderFailure('network', known.message, known.isRetryable);
  const code = codeIn(causes);
  if (code && /_ALERT_\w*(CERT|UNKNOWN_CA|ACCESS_DENIED)/.test(code)) {
    return new ProviderFailure(
      'network',
      `${host} lets in only clients whose certificate it knows (${code}). Check the provider's client_certificate.`,
      false,
    );
  }
  if (code && /_ALERT_HANDSHAKE_FAILURE/.test(code)) {
    return new ProviderFailure(
      'network',
      `${host} refuses the handshake (${code}). It may let in only clients whose certificate it knows: check the ` +
        "provider's client_certificate.",
      false,
    );
  }
  if (isUntrusted(code)) {
    return new ProviderFailure(
      'network',
      `${host} has a certificate that cannot be trusted (${code}). Fix it, or add its authority with ` +
        'TOOLMARK_EXTRA_CA.',
      false,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new ProviderFailure('network', `The name ${host} could not be resolved (${code}).`, true);
  if (code === 'ECONNREFUSED')
    return new ProviderFailure('network', `${host} refuses connections. Is it running?`, true);
  const reason = causes.at(-1)?.message || code || 'unknown reason';
  return new ProviderFailure('network', `The connection to ${host} failed: ${reason}${code ? ` (${code})` : ''}`, true);
}

type Cause = Error & { code?: unknown };
const MAX_CAUSES = 5;

/** An error and its causes, outermost first. */
function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = [];
  let cause = error;
  while (typeof cause === 'object' && cause !== null && causes.length < MAX_CAUSES) {
    causes.push(cause as Cause);
    cause = (cause as Error).cause;
  }
  return causes;
}

/** The SDKs wrap some errors in their own, which have the code only in the message. */
const codeIn = (causes: Cause[]): string | undefined =>
  causes
    .map(({ code, message }) => code ?? /\bE[A-Z_]{4,}\b/.exec(message)?.[0])
    .find((code) => typeof code === 'string') as string | undefined;

function messageIn(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : undefined;
}
