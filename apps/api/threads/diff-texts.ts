import { diffWordsWithSpace } from 'diff';
import type { TextHunk } from '#lib/contracts/prompt-version';

/** Two texts that differ in more words than this are treated as unrelated. */
const MAX_EDITS = 1_000;
/** For all texts of a request, whose user waits. */
const MAX_MS = 3_000;

const replaceWhole = (from: string, to: string): TextHunk[] => [
  ...(from === '' ? [] : [{ op: 'removed' as const, text: from }]),
  ...(to === '' ? [] : [{ op: 'added' as const, text: to }]),
];

/** Word-by-word diffs from each first text to its second; whole texts if that would take too long. */
export function diffTexts(pairs: readonly (readonly [from: string, to: string])[]): TextHunk[][] {
  const until = Date.now() + MAX_MS;
  return pairs.map(([from, to]) => {
    const timeout = until - Date.now();
    const changes = timeout > 0 ? diffWordsWithSpace(from, to, { maxEditLength: MAX_EDITS, timeout }) : undefined;
    if (!changes) return replaceWhole(from, to);
    return changes.map(({ added, removed, value }) => ({
      op: added ? 'added' : removed ? 'removed' : 'same',
      text: value,
    }));
  });
}
