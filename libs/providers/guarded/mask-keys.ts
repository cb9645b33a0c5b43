/** Dummy keys of local servers (`none`, `EMPTY`, `ollama`) are shorter. They may occur in a reply by chance. */
const MIN_SECRET_CHARACTERS = 12;

/** Masks a key that a provider repeated in a stored response. Everything else stays as the model wrote it. */
export const maskKey = (
  text: string,
  apiKey: string | null | undefined,
  minCharacters = MIN_SECRET_CHARACTERS,
): string => (apiKey && apiKey.length >= minCharacters ? text.replaceAll(apiKey, '[hidden]') : text);

/** Masks the given key, and everything that looks like a key: providers often repeat keys in their error messages. */
export function maskKeys(text: string, apiKey?: string | null): string {
  return maskKey(text, apiKey, 4).replace(
    /\b(sk|pk|rk|key|api|gsk|xai|AIza)[-_][A-Za-z0-9*_-]{8,}|Bearer\s+[A-Za-z0-9._~+/=-]{8,}/g,
    '[hidden]',
  );
}
