import { z } from 'zod';
import { named } from '../named.js';

export const Facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

export const Problem = named('Problem', 'Problem details (RFC 9457): the body of every error response.', {
  type: z.string().describe('Always `about:blank`: the status says what kind of problem this is.'),
  title: z.string().describe('The name of the HTTP status.'),
  status: z.int().describe('The HTTP status.'),
  detail: z.string().describe('What went wrong with this request, and how to fix it, for people.'),
  code: z.string().meta({
    description:
      'What kind of problem this is, for programs. `docs/problems.md` lists the codes with a way out for each. A ' +
      'code keeps its meaning; a later release may add others.',
    examples: ['not_found', 'monthly_cap_reached'],
  }),
  params: Facts.describe('Facts of the problem by name, such as ids and limits. The list of codes names them.'),
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
