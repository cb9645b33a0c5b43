import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** A secret was sealed with a different sealing key. */
export class UnsealError extends Error {}

/**
 * Seals secrets at rest with AES-256-GCM. It authenticates the `context`, such as the id of the provider, along with
 * the text, so that a sealed value cannot be opened in another row.
 */
export class Sealer {
  readonly #key: Buffer;

  /** @param keyHex 32 bytes in hexadecimal */
  constructor(keyHex: string) {
    this.#key = Buffer.from(keyHex, 'hex');
  }

  seal(secret: string, context: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return `v1.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /** @throws UnsealError when the secret was sealed with a different sealing key */
  open(sealed: string, context: string): string {
    const bytes = Buffer.from(sealed.slice('v1.'.length), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12)).setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(12, 28));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    } catch {
      throw new UnsealError(
        'A sealed secret cannot be opened: TOOLMARK_SEALING_KEY is not the key it was sealed with. Set ' +
          'the old key, or enter the secret again.',
      );
    }
  }

  /** A digest that is equal for equal parts, and reveals nothing about them without the sealing key. */
  fingerprint(...parts: string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64url');
  }
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/* Secrets of 256 random bits. Their prefix says what they are. */
export const newAccessToken = (): string => `tm_${randomBytes(32).toString('base64url')}`;
export const newSessionSecret = (): string => `ts_${randomBytes(32).toString('base64url')}`;
export const newInvitationSecret = (): string => `ti_${randomBytes(32).toString('base64url')}`;
export const newDeviceCode = (): string => `td_${randomBytes(32).toString('base64url')}`;
