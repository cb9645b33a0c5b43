import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { unwrapNumbers } from '#lib/contracts/json/json';
import { routeOptions } from './decorators.js';
import { readJson } from './read-json.js';
import { MAX_BODY_BYTES, Upload } from './upload.js';

export const LINE_TYPES = ['application/x-ndjson', 'application/jsonl'];
export const FILE_TYPES = [
  'text/plain',
  'text/csv',
  'text/yaml',
  'application/yaml',
  'application/x-yaml',
  ...LINE_TYPES,
];

/** How bodies are read: JSON as a whole, and a file piece by piece, on routes that say `@TakesFile`. */
export function addBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
    async (request: FastifyRequest, body: string) => {
      const value = readJson(body);
      return routeOptions(request).file ? value : unwrapNumbers(value);
    },
  );
  fastify.addContentTypeParser(FILE_TYPES, async (request: FastifyRequest, payload: Readable) => {
    const { file } = routeOptions(request);
    if (!file?.types.includes(contentTypeOf(request))) throw new UnsupportedMediaTypeException();
    const upload = new Upload(payload, request.headers['content-length'], file.bounds);
    const isIdentified = file.identifiedBy === 'length' || request.headers['idempotency-key'] === undefined;
    return isIdentified ? upload : upload.text();
  });
  fastify.addHook('onResponse', async ({ body }) => {
    if (body instanceof Upload) body.release();
  });
}

const contentTypeOf = (request: FastifyRequest): string =>
  request.headers['content-type']!.split(';')[0]!.trim().toLowerCase();
