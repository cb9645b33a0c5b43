import { z } from 'zod';

/** An object with these fields and no others. */
export const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `has no field "${issue.keys.join('", "')}"` : 'must be an object',
  });

/**
 * Reads a body posted to a model.
 * @param shape a sentence that shows what to post
 * @throws Error that describes the fault
 */
export function readPosted<Output>(schema: z.ZodType<Output>, body: unknown, shape: string): Output {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.length > 0 ? `"${path.join('.')}"` : 'The body'} ${message}.`,
  );
  throw new Error(`${problems.join(' ')} ${shape}`);
}
