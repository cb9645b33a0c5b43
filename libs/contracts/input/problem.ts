import { z } from 'zod';
import { ProblemError } from './problem-error.js';

export { ProblemError };

/** One thing wrong with an input. */
export const InputError = z.object({
  path: z.string().meta({
    description:
      'The place in the body, as a JSON Pointer (RFC 6901); empty for the body as a whole. A query ' +
      'parameter is `/` and its name.',
  }),
  message: z.string().meta({ description: 'What is wrong, and what would be right.' }),
});
export type InputError = z.infer<typeof InputError>;

export const formatInputError = ({ path, message }: InputError): string => `${path || 'The body'} ${message}`;

/** Ends third-party text with a period, so that another sentence can follow. */
export function endWithPeriod(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?]["')\]]?$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

export const Problem = z
  .object({
    type: z.string().meta({ description: 'Always `about:blank`: the status says what kind of problem this is.' }),
    title: z.string().meta({ description: 'The name of the HTTP status.' }),
    status: z.int().meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What went wrong with this request, and how to fix it.' }),
    errors: z.array(InputError).optional().meta({
      description: 'The faults of the input, by place, 100 at most; left out when the problem is not in the input.',
    }),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457): the body of every error response.' });
export type Problem = z.infer<typeof Problem>;

/** The 404 for an id that does not exist or belongs to another team; the caller cannot tell which. */
export const notFound = (what: string, id: string): ProblemError =>
  new ProblemError(404, `No ${what} with id "${id}" in this team.`);

/** The JSON Pointer (RFC 6901) of a path. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
