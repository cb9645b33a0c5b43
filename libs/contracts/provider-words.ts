import type { ClientCertificate, Provider } from './provider.js';

type Key = Pick<Provider, 'api_key_set' | 'api_key_last4'> & Partial<Pick<Provider, 'api_key_ref'>>;

/** The key of a provider: "ends in 1234", "set", "env:NAME" or "none". */
export function keyInWords({ api_key_set: isSet, api_key_last4: last4, api_key_ref: ref }: Key): string {
  if (ref) return ref;
  if (!isSet) return 'none';
  return last4 === null ? 'set' : `ends in ${last4}`;
}

const DAY_MS = 86_400_000;
/** A client certificate that ends within so many days needs somebody. */
const SOON_DAYS = 30;

/** @returns why a client certificate needs somebody, as the end of a sentence: "expires in 3 days", "has expired" */
export function certificateWarning(
  { expires_at: end }: Pick<ClientCertificate, 'expires_at'>,
  now = Date.now(),
): string | undefined {
  const days = (Date.parse(end) - now) / DAY_MS;
  if (days <= 0) return 'has expired';
  if (days > SOON_DAYS) return undefined;
  return days < 1 ? 'expires within a day' : `expires in ${Math.floor(days)} ${days < 2 ? 'day' : 'days'}`;
}
