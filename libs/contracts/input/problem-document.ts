import { z } from 'zod';

export const Problem = z
  .object({
    type: z.string().meta({ description: 'Always `about:blank`: the status says what kind of problem this is.' }),
    title: z.string().meta({ description: 'The name of the HTTP status.' }),
    status: z.int().meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What went wrong with this request, and how to fix it.' }),
    errors: z
      .array(
        z.object({
          path: z.string().meta({
            description:
              'The place in the body, as a JSON Pointer (RFC 6901); empty for the body as a whole. A query ' +
              'parameter is `/` and its name.',
          }),
          message: z.string().meta({ description: 'What is wrong, and what would be right.' }),
        }),
      )
      .optional()
      .meta({
        description: 'The faults of the input, by place, at most 100; left out when the problem is not in the input.',
      }),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457): the body of every error response.' });
export type Problem = z.infer<typeof Problem>;
