import { z } from 'zod';

/** The data of an event, with a description of when it occurs. */
export const event = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z.object(shape).describe(description);

export const share = z.number().min(0).max(1).nullable();
export const count = z.int().min(0);
