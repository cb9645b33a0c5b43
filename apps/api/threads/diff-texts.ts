import { diffWordsWithSpace } from 'diff';
import type { TextHunk } from '#lib/contracts/prompt-version';

/** Words that may differ between two texts before they are taken to have nothing in common. */
const MAX_EDITS = 1_000;
/** For all texts of a request: somebody waits for them. */
const MAX_MS = 3_000;

const wholly = (from: string, to: string): TextHunk[] => [
  ...(from === '' ? [] : [{ op: 'removed' as const, text: from }]),
  ...(to === '' ? [] : [{ op: 'added' as const, text: to }]),
];

/** How to get from each first text to its second, word by word; whole texts where that would take too long. */
export function diffTexts(pairs: readonly (readonly [from: string, to: string])[]): TextHunk[][] {
  const until = Date.now() + MAX_MS;
  return pairs.map(([from, to]) => {
    const timeout = until - Date.now();
    const changes = timeout > 0 ? diffWordsWithSpace(from, to, { maxEditLength: MAX_EDITS, timeout }) : undefined;
    if (!changes) return wholly(from, to);
    return changes.map(({ added, removed, value }) => ({
      op: added ? 'added' : removed ? 'removed' : 'same',
      text: value,
    }));
  });
}
