import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Pool } from '#lib/db/connection/pool';
import { AnswerMemory, boundAnswers } from './answer-memory.js';
import { checkTokens } from './auth.js';
import { addBodyParsers } from './body-parsers.js';
import { resetCutAnswers } from './cut-answers.js';
import { measureRequests } from './http-metrics.js';
import { describeApi } from './openapi.js';
import { sendProblem, toProblem } from './problem.filter.js';
import { refuseUnstorable } from './read-json.js';
import { Shutdown, closeConnections } from './shutdown.js';
import { POOL } from './stores.js';
import { MAX_BODY_BYTES } from './upload.js';
import { serveWeb } from '../web/serve-web.js';

/**
 * An application of these modules on Fastify, ready to listen.
 * @param root `AppModule`, or some features on a `PlatformModule`
 */
export async function createApp(root: DynamicModule): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    frameworkErrors: (error: unknown, _request: unknown, reply: FastifyReply) => sendProblem(reply, toProblem(error)),
  });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: false,
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  addBodyParsers(fastify);
  measureRequests(fastify);
  closeConnections(fastify, app.get(Shutdown));
  boundAnswers(fastify, app.get(AnswerMemory));
  resetCutAnswers(fastify);
  checkTokens(fastify, app.get<Pool>(POOL));
  fastify.addHook('onRequest', async ({ query, params }) => [query, params].forEach(refuseUnstorable));
  // The document is made when it is first asked for.
  SwaggerModule.setup('docs', app, () => describeApi(app), { jsonDocumentUrl: 'openapi.json' });
  await serveWeb(fastify);
  return app;
}
