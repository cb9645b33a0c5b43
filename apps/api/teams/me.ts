import type { z } from 'zod';
import type { Me } from '#lib/contracts/team';
import type { Caller } from '#lib/db/catalogue/callers';

export const meOf = ({ teamId, teamName, userId, userName, role }: Caller): z.infer<typeof Me> => ({
  team: { id: teamId, name: teamName },
  user: { id: userId, name: userName },
  role,
});
