/** What a token may do, each role all of what those before it may. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
