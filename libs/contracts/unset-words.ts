/** What stands for a setting that a run does not have, by its place in the settings. */
export const unsetWords = (path: string): string => (path === '/max_tokens' ? 'no limit' : 'not set');
