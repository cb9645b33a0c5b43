import { z } from 'zod';
import { jsonObject } from '#lib/contracts/tool';

/** Calls as most public metrics take them. */
export const NamedCall = z.strictObject({ name: z.string(), arguments: jsonObject.nullish() });
export type NamedCall = z.infer<typeof NamedCall>;
