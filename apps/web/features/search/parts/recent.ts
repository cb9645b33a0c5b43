import type { Entry } from './entries';

const MAX_RECENT = 5;
const storageKey = (userId: string): string => `toolmark.recent.${userId}`;

type Recent = Pick<Entry, 'key' | 'name' | 'about' | 'to'>;

/** What the user opened last from the palette, in this browser. */
export function recentOf(userId: string): readonly Recent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(userId)) ?? '[]');
    return Array.isArray(stored) ? (stored as Recent[]).filter((one) => typeof one?.name === 'string' && one.to) : [];
  } catch {
    return [];
  }
}

/** Actions are not remembered: they are at hand anyway. */
export function remember(userId: string, { key, name, about, to }: Entry): void {
  const others = recentOf(userId).filter((one) => one.key !== key);
  try {
    localStorage.setItem(
      storageKey(userId),
      JSON.stringify([{ key, name, about, to }, ...others].slice(0, MAX_RECENT)),
    );
  } catch {
    // Without storage nothing is recent.
  }
}
