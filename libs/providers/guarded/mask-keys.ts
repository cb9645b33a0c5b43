/** Dummy keys of local servers (`none`, `EMPTY`, `ollama`) are shorter. They may occur in a reply by chance. */
const MIN_SECRET_CHARACTERS = 12;
/** The values of headers in errors, which nobody judges. */
export const MIN_ERROR_CHARACTERS = 4;

/**
 * Masks secrets that a provider repeated in a stored response, as they are and as JSON writes them. Everything else
 * stays as the model wrote it.
 */
export function maskSecrets(text: string, secrets: readonly string[], minCharacters = MIN_SECRET_CHARACTERS): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length < minCharacters) continue;
    masked = masked.replaceAll(secret, '[hidden]');
    const escaped = JSON.stringify(secret).slice(1, -1);
    if (escaped !== secret) masked = masked.replaceAll(escaped, '[hidden]');
  }
  return masked;
}

/** Masks secrets in the body of an error, before anything shortens it: half of a secret would not be found. */
export function maskBody(body: Buffer<ArrayBuffer>, secrets: readonly string[]): Buffer<ArrayBuffer> {
  if (secrets.length === 0) return body;
  const text = body.toString('utf8');
  const masked = maskSecrets(text, secrets, MIN_ERROR_CHARACTERS);
  return masked === text ? body : Buffer.from(masked);
}

/** Masks the given secrets, and everything that looks like a key: providers often repeat keys in their errors. */
export function maskKeys(text: string, secrets: readonly string[] = []): string {
  return maskSecrets(text, secrets, MIN_ERROR_CHARACTERS).replace(
    /\b(sk|pk|rk|key|api|gsk|xai|AIza)[-_][A-Za-z0-9*_-]{8,}|Bearer\s+[A-Za-z0-9._~+/=-]{8,}/g,
    '[hidden]',
  );
}
