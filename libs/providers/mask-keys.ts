/** Providers like to repeat the key in their error texts. Hides the given key and everything that looks like one. */
export function maskKeys(text: string, apiKey?: string | null): string {
  const without = apiKey && apiKey.length >= 4 ? text.replaceAll(apiKey, '[hidden]') : text;
  return without.replace(/\b(sk|pk|rk|key|api|gsk|xai|AIza)[-_][A-Za-z0-9*_-]{8,}|Bearer\s+[A-Za-z0-9._~+/=-]{8,}/g, '[hidden]');
}
