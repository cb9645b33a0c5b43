import { z } from 'zod';

export const SessionInput = z
  .strictObject({ token: z.string().min(1).max(500).meta({ description: 'A token of the team, of any role.' }) })
  .meta({ id: 'SessionInput', description: 'Starts a session.' });
export type SessionInput = z.infer<typeof SessionInput>;
