import { z } from 'zod';
import { named } from '../named.js';

export const Problem = named('Problem', 'Problem details (RFC 9457): the body of every error response.', {
  type: z.string().describe('Always `about:blank`: the status says what kind of problem this is.'),
  title: z.string().describe('The name of the HTTP status.'),
  status: z.int().describe('The HTTP status.'),
  detail: z.string().describe('What went wrong with this request, and how to fix it.'),
  errors: z
    .array(
      z.object({
        path: z
          .string()
          .describe(
            'The place in the body, as a JSON Pointer (RFC 6901); empty for the body as a whole. A query ' +
              'parameter is `/` and its name.',
          ),
        message: z.string().describe('What is wrong, and what would be right.'),
      }),
    )
    .optional()
    .describe('The faults of the input, by place, at most 100; left out when the problem is not in the input.'),
});
export type Problem = z.infer<typeof Problem>;
