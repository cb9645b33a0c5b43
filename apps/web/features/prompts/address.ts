import { id, oneOf, searchOf, text } from '../../address';

export const promptsSearch = searchOf({ suite: id, tag: text(50), after: text(500) });
export type PromptsSearch = ReturnType<typeof promptsSearch>;

/** What a prompt version is compared with: its parent by default. */
export const promptSearch = searchOf({ from: oneOf(['suite'] as const) });

/** A new prompt version: of a suite, or from another version. */
export const promptNewSearch = searchOf({ suite: id, from: id });
