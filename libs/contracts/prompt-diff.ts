import type { ComponentDiff, TextHunk } from './prompt-version.js';

const REVERSED_OPS: Record<TextHunk['op'], TextHunk['op']> = { same: 'same', removed: 'added', added: 'removed' };

/** The reverse diff. Removed components stand before their replacements. */
export const reverseDiff = (components: readonly ComponentDiff[]): ComponentDiff[] =>
  components.map(({ component, from, to, hunks }) => ({
    component,
    from: to,
    to: from,
    hunks: removedFirst(hunks.map(({ op, text }) => ({ op: REVERSED_OPS[op], text }))),
  }));

function removedFirst(hunks: readonly TextHunk[]): TextHunk[] {
  const made: TextHunk[] = [];
  for (const hunk of hunks) {
    const before = made.at(-1);
    if (hunk.op === 'removed' && before?.op === 'added') made.splice(-1, 0, hunk);
    else made.push(hunk);
  }
  return made;
}
