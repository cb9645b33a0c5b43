import type { FastifyRequest } from 'fastify';
import { ProblemError } from '#lib/contracts/input/problem';

/** The media type of a body without its parameters; empty if there is none. */
export const contentTypeOf = ({ headers }: FastifyRequest): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();

/** The charset in Content-Type; undefined if there is none. @throws ProblemError 400 for two charsets */
export function charsetOf({ headers }: FastifyRequest): string | undefined {
  const [, ...parameters] = (headers['content-type'] ?? '').split(';');
  const said = parameters
    .map((parameter) => parameter.split('='))
    .filter(([name]) => name!.trim().toLowerCase() === 'charset')
    .map(([, value = '']) =>
      value
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2')
        .toLowerCase(),
    );
  if (new Set(said).size > 1) throw new ProblemError(400, 'Content-Type names two charsets. Remove one of them.');
  return said[0];
}
