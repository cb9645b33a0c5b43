import { createHash } from 'node:crypto';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * Identities of candidates, independent of white space. Candidates share most of their texts, so each text is hashed
 * only once.
 */
export class Fingerprints {
  readonly #ofTexts = new Map<string, string>();

  of(components: Readonly<Record<string, string>>): string {
    const texts = Object.keys(components)
      .sort()
      .map((component) => [component, this.#ofText(components[component]!)]);
    return sha256(JSON.stringify(texts));
  }

  #ofText(text: string): string {
    let found = this.#ofTexts.get(text);
    if (found === undefined) {
      found = sha256(text.replace(/\s+/g, ' ').trim());
      this.#ofTexts.set(text, found);
    }
    return found;
  }
}
