import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { sha256 } from '#lib/runtime/seal';
import { inPieces, streamOf } from './answer-memory.js';
import { KeptAnswer } from './kept-answer.js';
import { describeApi } from './openapi.js';

const PATH = '/openapi.json';

/** Serves the OpenAPI document, which is built at the first request, and its page, which loads it. */
export function serveDocument(app: NestFastifyApplication, fastify: FastifyInstance): void {
  const document = new KeptAnswer(() => JSON.stringify(describeApi(app)));
  let tag: string | undefined;
  fastify.get(PATH, async (request, reply) => {
    const bytes = await document.bytes();
    tag ??= `"${sha256(bytes.toString()).slice(0, 32)}"`;
    void reply.header('etag', tag).header('cache-control', 'no-cache');
    if (request.headers['if-none-match'] === tag) return reply.status(304).send();
    // All requests share the same bytes, which do not count as memory of large answers.
    void reply.type('application/json; charset=utf-8').header('content-length', bytes.length);
    return reply.send(streamOf(inPieces([bytes])));
  });
  SwaggerModule.setup('docs', app, () => undefined as unknown as OpenAPIObject, { raw: [], swaggerUrl: PATH });
}
