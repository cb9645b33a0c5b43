import { z } from 'zod';
import { id, time } from './page.js';

export const ROLES = ['viewer', 'editor', 'owner'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

const name = z.string().trim().min(1).max(100);
export const TokenInput = z
  .strictObject({ name, role: Role, user: name.optional(), expires_at: time.nullable().default(null) })
  .meta({ id: 'TokenInput' });
export type TokenInput = z.infer<typeof TokenInput>;

export const Token = z
  .object({ id, name: z.string(), role: Role, user: z.string(), expires_at: time.nullable(), created_at: time })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;
/** The secret is in the answer once; a replayed creation leaves it out. */
export const NewToken = Token.extend({ token: z.string().optional() }).meta({ id: 'NewToken' });

export const TeamInput = z.strictObject({ name }).meta({ id: 'TeamInput' });
export const Team = z.object({ id, name: z.string(), created_at: time }).meta({ id: 'Team' });
export type Team = z.infer<typeof Team>;
export const NewTeam = Team.extend({ token: NewToken }).meta({ id: 'NewTeam' });

export const Me = z
  .object({ team: z.object({ id, name: z.string() }), user: z.object({ id, name: z.string() }), role: Role })
  .meta({ id: 'Me' });
