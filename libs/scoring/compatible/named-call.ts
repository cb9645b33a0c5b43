import { z } from 'zod';
import { jsonObject } from '#lib/contracts/tool';

/** A call in the form that most public metrics take. */
export const NamedCall = z.strictObject({ name: z.string(), arguments: jsonObject.nullish() });
export type NamedCall = z.infer<typeof NamedCall>;
