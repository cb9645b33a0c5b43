import { z } from 'zod';
import { namedInput } from './named.js';

export const SessionInput = namedInput('SessionInput', 'Starts a session.', {
  token: z.string().min(1).max(500).describe('A token of the team, of any role.'),
});
export type SessionInput = z.infer<typeof SessionInput>;
