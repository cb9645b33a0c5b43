import type { RunWarning } from '#lib/contracts/run-target';

/** What warnings are called, by the beginning of their codes. */
const WORDS: Record<string, string> = {
  abstention: 'auto for no-call cases',
  tool_choice: 'tool choice adapted',
  refused: 'settings adapted',
  refused_round: 'settings adapted',
  unsupported: 'settings left out',
  thinking_off: 'thinking turned off',
  uncounted: 'tokens not counted',
};

interface Notice {
  words: string;
  warnings: RunWarning[];
}

/** The warnings of a run by kind, each kind in a few words. */
export function noticesOf(warnings: readonly RunWarning[]): Notice[] {
  const groups = Map.groupBy(warnings, ({ code }) => WORDS[code.split(':')[0]!] ?? '');
  return [...groups].map(([words, some]) => ({
    words: words || (some.length === 1 ? '1 note' : `${some.length} notes`),
    warnings: some,
  }));
}
