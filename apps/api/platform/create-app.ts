import { UnsupportedMediaTypeException, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { MAX_RECORDED } from '#lib/contracts/recorded';
import type { Pool } from '#lib/db/connection/pool';
import { checkTokens } from './auth.js';
import { measureRequests } from './http-metrics.js';
import { describeApi } from './openapi.js';
import { sendProblem, toProblem } from './problem.filter.js';
import { readJson, refuseUnstorable } from './read-json.js';
import { Shutdown, closeConnections } from './shutdown.js';
import { POOL } from './stores.js';
import { Upload } from './upload.js';

const LARGEST_BODY_BYTES = 10 * 2 ** 20;
const IMPORT_ROUTE = '/api/tool-eval/import';
const RECORDED_ROUTE = '/api/tool-eval/recorded';
/** Files that an import takes as they are. */
const LINE_TYPES = ['application/x-ndjson', 'application/jsonl'];
const FILE_TYPES = ['text/plain', 'text/csv', 'text/yaml', 'application/yaml', 'application/x-yaml', ...LINE_TYPES];

const RECORDED_BOUNDS = { bytes: MAX_RECORDED.bytes, totalMs: 6 * 3600_000, idleMs: 60_000 };

/**
 * An application of these modules on Fastify, ready to listen.
 * @param root `AppModule`, or some features on a `PlatformModule`
 */
export async function createApp(root: DynamicModule): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    root,
    new FastifyAdapter({
      bodyLimit: LARGEST_BODY_BYTES,
      frameworkErrors: (error: unknown, _request: unknown, reply: FastifyReply) => sendProblem(reply, toProblem(error)),
    }),
    {
      logger: false,
      abortOnError: false,
      bodyParser: false,
    },
  );
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: LARGEST_BODY_BYTES },
    (request, body, done) => {
      try {
        // What of an imported file is data, and what a setting, the importer of its format knows.
        const holdsFile = [IMPORT_ROUTE, RECORDED_ROUTE].includes(request.routeOptions.url ?? '');
        done(null, holdsFile ? readJson(body as string, (value) => value) : readJson(body as string));
      } catch (error) {
        done(error as Error, undefined);
      }
    },
  );
  fastify.addContentTypeParser(FILE_TYPES, async (request: FastifyRequest, payload: Readable) => {
    const length = request.headers['content-length'];
    // Too much to be known by all of it: a repetition is known by its key, its address and its length.
    if (
      request.routeOptions.url === RECORDED_ROUTE &&
      LINE_TYPES.includes(request.headers['content-type']!.split(';')[0]!.trim())
    )
      return new Upload(payload, length, RECORDED_BOUNDS);
    if (request.routeOptions.url !== IMPORT_ROUTE) throw new UnsupportedMediaTypeException();
    const upload = new Upload(payload, length, { bytes: LARGEST_BODY_BYTES });
    // A request that may be sent again is known by all of its body.
    return request.headers['idempotency-key'] === undefined ? upload : upload.text();
  });
  fastify.addHook('onResponse', async ({ body }) => void (body instanceof Upload && body.letGo()));
  measureRequests(fastify);
  closeConnections(fastify, app.get(Shutdown));
  checkTokens(fastify, app.get<Pool>(POOL));
  fastify.addHook('onRequest', async ({ query, params }) => [query, params].forEach(refuseUnstorable));
  SwaggerModule.setup('docs', app, () => describeApi(app), { jsonDocumentUrl: 'openapi.json' }); // made when it is first asked for
  return app;
}
