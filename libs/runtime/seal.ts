import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Env } from './env.js';

/** No sealing key of this process opens a secret. Everybody may read the message: it has ids of keys, no keys. */
export class UnsealError extends Error {
  /** @param why a clause that begins with "it" */
  constructor(
    readonly why: string,
    wayOut: string,
  ) {
    super(`A sealed secret cannot be opened: ${why}. ${wayOut}`);
  }
}

interface SealingKey {
  id: string;
  bytes: Buffer;
}

interface SealerOptions {
  /** How new secrets are sealed. `v1` says no key, and is all that the release before opens. */
  format?: 'v1' | 'v2';
  /** 32 bytes in hexadecimal. Without it there are no fingerprints until `useFingerprintKey`. */
  fingerprintKey?: string;
}

/**
 * Seals secrets at rest with AES-256-GCM, with the first key of a ring, and opens what any key of the ring has sealed.
 * It authenticates the `context`, such as the id of the provider, along with the text, so that a sealed value cannot be
 * opened in another row. A sealed value is `v2.<key id>.<base64url>`, or `v1.<base64url>`, which does not say its key.
 */
export class Sealer {
  readonly #ring: readonly [SealingKey, ...SealingKey[]];
  /** What begins the values that it seals unless another key was chosen for the whole installation. */
  readonly ownPrefix: string;
  #sealing: { prefix: string; key: SealingKey };
  readonly #variable: string;
  #fingerprintKey: Buffer | undefined;

  /** @param keys 32 bytes each, in hexadecimal; the first one seals, all of them open */
  constructor(keys: readonly string[], { format = 'v2', fingerprintKey }: SealerOptions = {}) {
    const [first, ...others] = keys.map((hex) => ({ id: sealingKeyId(hex), bytes: Buffer.from(hex, 'hex') }));
    if (!first) throw new Error('There is no sealing key.');
    this.#ring = [first, ...others];
    this.ownPrefix = format === 'v1' ? 'v1.' : `v2.${first.id}.`;
    this.#sealing = { prefix: this.ownPrefix, key: first };
    this.#variable = format === 'v1' ? 'TOOLMARK_SEALING_KEY' : 'TOOLMARK_SEALING_KEYS';
    if (fingerprintKey !== undefined) this.useFingerprintKey(fingerprintKey);
  }

  /** The sealer of this process. */
  static of(env: Pick<Env, 'TOOLMARK_SEALING_KEY' | 'TOOLMARK_SEALING_KEYS'>): Sealer {
    const { TOOLMARK_SEALING_KEY: single, TOOLMARK_SEALING_KEYS: ring } = env;
    // The release before may run beside a process with a single key, and opens nothing but v1.
    return ring ? new Sealer(ring) : new Sealer(single === undefined ? [] : [single], { format: 'v1' });
  }

  /** What begins each value that it seals. */
  get prefix(): string {
    return this.#sealing.prefix;
  }

  /** Seals with another key of the ring from now on, if it has it. @returns whether it has */
  sealAs(prefix: string): boolean {
    const key = prefix === 'v1.' ? this.#ring[0] : this.#ring.find(({ id }) => prefix === `v2.${id}.`);
    if (key) this.#sealing = { prefix, key };
    return key !== undefined;
  }

  /** The ids of the keys; the first one seals, unless another one was chosen. */
  get keyIds(): string[] {
    return this.#ring.map(({ id }) => id);
  }

  seal(secret: string, context: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing.key.bytes, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return this.prefix + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** @throws UnsealError when no key of the ring opens it */
  open(sealed: string, context: string): string {
    const [, keyId, text = ''] = /^(?:v1|v2\.([0-9a-f]{8}))\.([\w-]+)$/.exec(sealed) ?? [];
    for (const key of this.#ring) {
      if (keyId !== undefined && key.id !== keyId) continue;
      const opened = openWith(key, Buffer.from(text, 'base64url'), context);
      if (opened !== undefined) return opened;
    }
    throw this.#unsealError(keyId);
  }

  #unsealError(keyId: string | undefined): UnsealError {
    if (keyId !== undefined && this.keyIds.includes(keyId))
      return new UnsealError('it is damaged, or was moved from another place', 'Enter it again.');
    const [key, unknown] =
      keyId === undefined ? ['a key that', ', and it does not say which one'] : [`the key ${keyId}, which`, ''];
    return new UnsealError(
      `it was sealed with ${key} ${this.#variable} does not have (it has ${this.keyIds.join(', ')})${unknown}`,
      'Add that key at the end of TOOLMARK_SEALING_KEYS, or enter the secret again.',
    );
  }

  /** @param key 32 bytes in hexadecimal */
  useFingerprintKey(key: string): void {
    this.#fingerprintKey = Buffer.from(key, 'hex');
  }

  /** A digest that is equal for equal parts, whatever key seals, and reveals nothing about them without its own key. */
  fingerprint(...parts: string[]): string {
    if (!this.#fingerprintKey) throw new Error('The key of fingerprints was not loaded (loadFingerprintKey).');
    return fingerprintWith(this.#fingerprintKey, parts);
  }

  /** The key of the ring that made a fingerprint, in hexadecimal, when sealing keys still made them. */
  keyOfFingerprint(fingerprint: string, ...parts: string[]): string | undefined {
    return this.#ring.find(({ bytes }) => fingerprintWith(bytes, parts) === fingerprint)?.bytes.toString('hex');
  }

  /** The last key of the ring, in hexadecimal: the one before the first, while the first is about to take its place. */
  get lastKey(): string {
    return this.#ring.at(-1)!.bytes.toString('hex');
  }
}

/** What tells sealing keys apart without telling anything about them. docs/operations.md has a command for it. */
const sealingKeyId = (hex: string): string => sha256(`toolmark sealing key ${hex.toLowerCase()}`).slice(0, 8);

const TAG_BYTES = 16;

function openWith({ bytes: key }: SealingKey, sealed: Buffer, context: string): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(12, 12 + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(12 + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

const fingerprintWith = (key: Buffer, parts: readonly string[]): string =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/* Secrets of 256 random bits. Their prefix says what they are. */
export const newAccessToken = (): string => `tm_${randomBytes(32).toString('base64url')}`;
export const newSessionSecret = (): string => `ts_${randomBytes(32).toString('base64url')}`;
export const newInvitationSecret = (): string => `ti_${randomBytes(32).toString('base64url')}`;
export const newDeviceCode = (): string => `td_${randomBytes(32).toString('base64url')}`;
