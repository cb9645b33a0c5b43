import type { CodeEntry } from './problem-codes.js';

/** The codes of notes. A code keeps its meaning; a later release may add others. */
export const NOTE_CODES = {
  note: { means: 'A note without a code of its own.', wayOut: 'Read its text.' },
} as const satisfies Record<string, CodeEntry>;

export type NoteCode = keyof typeof NOTE_CODES;
