import type { Client } from './client.js';

/** The screens about who may come in, by name. */
export const ACCESS: [name: string, path: string][] = [
  ['account', '/settings/account'],
  ['people', '/settings/people'],
  ['tokens', '/settings/tokens'],
  ['sessions', '/settings/sessions'],
  ['teams', '/settings/teams'],
  ['audit', '/settings/audit'],
  ['login of a command line', '/device'],
  ['sign-in', '/sign-in'],
  ['invitation', '/join'],
];

/** A service account with a limited token, and an open invitation. */
export async function fillAccess(client: Client, name: string): Promise<void> {
  const user = name.slice(0, 100);
  await client.post('/api/users', { name: user, role: 'editor' });
  await client.post('/api/tokens', { name: user, role: 'editor', user, reads_only: true, monthly_cap_usd: 5 });
  await client.post('/api/invitations', { role: 'viewer', note: name.slice(0, 200) });
}
