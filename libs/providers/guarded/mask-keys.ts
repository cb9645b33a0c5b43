/**
 * Dummies that local servers are given (`none`, `EMPTY`, `ollama`) are shorter, and may stand in a reply by
 * themselves.
 */
const SHORTEST_SECRET = 12;

/** Hides the key in what is stored of an answer, where a provider repeated it. All else stays as the model wrote it. */
export const maskKey = (text: string, apiKey: string | null | undefined, shortest = SHORTEST_SECRET): string =>
  apiKey && apiKey.length >= shortest ? text.replaceAll(apiKey, '[hidden]') : text;

/** Providers like to repeat the key in their error texts. Hides the given key and everything that looks like one. */
export function maskKeys(text: string, apiKey?: string | null): string {
  return maskKey(text, apiKey, 4).replace(
    /\b(sk|pk|rk|key|api|gsk|xai|AIza)[-_][A-Za-z0-9*_-]{8,}|Bearer\s+[A-Za-z0-9._~+/=-]{8,}/g,
    '[hidden]',
  );
}
