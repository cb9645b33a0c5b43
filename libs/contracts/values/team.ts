/** Roles of a token, in ascending order: each includes the permissions of those before it. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;

/** What stands before the secret in the link of an invitation. */
export const INVITATION_PATH = '/join#invitation=';
