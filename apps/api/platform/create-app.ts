import {
  Module,
  StandardSchemaValidationPipe,
  UnsupportedMediaTypeException,
  type ArgumentMetadata,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { badInput } from './bad-input.js';
import { checkTokens } from './auth.js';
import { Deps } from './deps.js';
import { ExperimentsController } from '../experiments/experiments.controller.js';
import { HealthController } from '../health/health.controller.js';
import { measureRequests } from './http-metrics.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { describeApi } from './openapi.js';
import { ProblemFilter, sendProblem, toProblem } from './problem.filter.js';
import { ImportsController } from '../imports/imports.controller.js';
import { LanesController } from '../lanes/lanes.controller.js';
import { McpController } from '../mcp/mcp.controller.js';
import { MetricsController } from '../metrics/metrics.controller.js';
import { ProvidersController } from '../providers/providers.controller.js';
import { readJson, refuseUnstorable } from './read-json.js';
import { RunsController } from '../runs/runs.controller.js';
import { closeConnections } from './serve-on.js';
import { SettingsController } from '../settings/settings.controller.js';
import { SuitesController } from '../suites/suites.controller.js';
import { TeamsController } from '../teams/teams.controller.js';
import { RecordedController } from '../recorded/recorded.controller.js';
import { MOST_RECORDED } from '#lib/contracts/recorded';
import { Upload } from './upload.js';

const LARGEST_BODY_BYTES = 10 * 2 ** 20;
const IMPORT_ROUTE = '/api/tool-eval/import';
const RECORDED_ROUTE = '/api/tool-eval/recorded';
/** Files that an import takes as they are. */
const LINE_TYPES = ['application/x-ndjson', 'application/jsonl'];
const FILE_TYPES = ['text/plain', 'text/csv', 'text/yaml', 'application/yaml', 'application/x-yaml', ...LINE_TYPES];

const RECORDED_BOUNDS = { bytes: MOST_RECORDED.bytes, totalMs: 6 * 3600_000, idleMs: 60_000 };

/** What is still coming in is looked at by whoever reads it. */
class Validation extends StandardSchemaValidationPipe {
  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    return value instanceof Upload ? value : super.transform(value, metadata);
  }
}

/** The API, ready to listen. */
export async function createApp(deps: Deps): Promise<NestFastifyApplication> {
  @Module({
    controllers: [
      HealthController,
      TeamsController,
      ProvidersController,
      SuitesController,
      ImportsController,
      McpController,
      RecordedController,
      RunsController,
      ExperimentsController,
      MetricsController,
      SettingsController,
      LanesController,
    ],
    providers: [
      { provide: Deps, useFactory: () => deps },
      { provide: APP_FILTER, useClass: ProblemFilter },
      { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    ],
  })
  class ApiModule {}

  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule,
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
  closeConnections(fastify, deps);
  checkTokens(fastify, deps.pool);
  fastify.addHook('onRequest', async ({ query, params }) => [query, params].forEach(refuseUnstorable));
  app.useGlobalPipes(new Validation({ exceptionFactory: badInput }));
  SwaggerModule.setup('docs', app, () => describeApi(app), { jsonDocumentUrl: 'openapi.json' }); // made when it is first asked for
  return app;
}
