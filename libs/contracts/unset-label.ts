/** The text shown for a setting that a run does not have, by its path in the settings. */
export const unsetLabel = (path: string): string => (path === '/max_tokens' ? 'no limit' : 'not set');
