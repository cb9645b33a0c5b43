/** Roles of a token, in ascending order: each includes the permissions of those before it. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
