import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { decodeText, TextReader } from '#lib/contracts/input/decode-text';
import { ProblemError } from '#lib/contracts/input/problem';
import { unwrapNumbers } from '#lib/contracts/json/json';
import { routeOptions } from './decorators.js';
import { readJson } from './read-json.js';
import { MAX_BODY_BYTES, Upload } from './upload.js';

/** How bodies are read: JSON as a whole, and a file piece by piece, on routes that say `@TakesFile`. */
export function addBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    async (request: FastifyRequest, body: Buffer) => {
      const value = readJson(decodeText(body, { name: 'The body', isUtf8: true, charset: charsetOf(request) }));
      return routeOptions(request).file ? value : unwrapNumbers(value);
    },
  );
  fastify.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    if (request.is404) return undefined;
    const { file } = routeOptions(request);
    const type = contentTypeOf(request);
    if (!file?.types.includes(type)) throw new UnsupportedMediaTypeException();
    const reader = new TextReader({
      name: 'The body',
      charset: charsetOf(request),
      orSay: (charset) => `send it with "Content-Type: ${type}; charset=${charset}"`,
    });
    const upload = new Upload(payload, request.headers['content-length'], file.bounds, reader);
    const isIdentified = file.identifiedBy === 'length' || request.headers['idempotency-key'] === undefined;
    return isIdentified ? upload : upload.text();
  });
  fastify.addHook('onResponse', async ({ body }) => {
    if (body instanceof Upload) body.release();
  });
}

/** The media type of a body without its parameters; empty where there is none. */
export const contentTypeOf = ({ headers }: FastifyRequest): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();

/** What Content-Type says of the charset; undefined where it says nothing. @throws ProblemError 400 for two charsets */
function charsetOf({ headers }: FastifyRequest): string | undefined {
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
  if (new Set(said).size > 1) throw new ProblemError(400, 'Content-Type names two charsets. Leave one of them out.');
  return said[0];
}
