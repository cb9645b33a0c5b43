import { isObject } from './json/json.js';

/** The field of a stored failure that holds a body from a private address. The API shows it only to owners. */
export const PRIVATE_BODY = 'private_body';

/** The body of an invalid response, if the last attempt of an exchange got one and it was kept. */
export function failedBody(exchange: { replies: readonly unknown[] } | null): string | null {
  const last = exchange?.replies.at(-1);
  if (!isObject(last) || !isObject(last.error)) return null;
  const { body, [PRIVATE_BODY]: privateBody } = last.error;
  return [body, privateBody].find((text) => typeof text === 'string') ?? null;
}

/** Removes data from private addresses from a stored body. */
export function withoutPrivateBody(reply: unknown): unknown {
  if (!isObject(reply) || !isObject(reply.error) || !(PRIVATE_BODY in reply.error)) return reply;
  const { [PRIVATE_BODY]: _private, ...error } = reply.error;
  return { ...reply, error };
}
