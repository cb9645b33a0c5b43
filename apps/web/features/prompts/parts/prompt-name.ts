import type { PromptVersionHead } from '#lib/contracts/prompt-version';

const SHOWN = 8;

/** Display name of a version: its label and tags, or the end of its id. */
export const promptName = ({ id, label, tags }: Pick<PromptVersionHead, 'id' | 'label' | 'tags'>): string =>
  [label, tags.length > 0 ? `(${tags.join(', ')})` : ''].filter(Boolean).join(' ') || `version ${id.slice(-SHOWN)}`;
