import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Pool } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import { newId } from '#lib/runtime/ids';
import { serveWeb } from '../web/serve-web.js';
import { answerInOrder } from './answer-in-order.js';
import { AnswerMemory, boundAnswers } from './answer-memory.js';
import { checkTokens } from './auth.js';
import { CallerLimits } from './caller-limits.js';
import { refuseLargeBodies } from './body-bounds.js';
import { addBodyParsers } from './body-parsers.js';
import { BytesInHand, bytesInHand } from './bytes-in-hand.js';
import { MOST_CONNECTIONS } from './connections.js';
import { KnownCallers } from './known-callers.js';
import type { LargeBodyReader } from './large-bodies.js';
import { resetCutAnswers } from './reset-cut-answers.js';
import { measureRequests } from './http-metrics.js';
import { sendProblem, toProblem } from './problem.filter.js';
import { refuseUnstorable } from './read-json.js';
import { sendHeadersOfRefusal, sendSecurityHeaders } from './security-headers.js';
import { serveDocument } from './serve-document.js';
import { Shutdown, closeConnections } from './shutdown.js';
import { BODY_READER, ENV, POOL } from './stores.js';
import { spaceRefusals } from './space-refusals.js';
import { checkSuites } from './token-limits.js';
import { forwardedId, trustProxies } from './trusted-proxies.js';
import { takeTurns } from './turns.js';

/** Backstop for everything with its own limits: a file of replies may take six hours to send. */
const REQUEST_TIMEOUT_MS = 6.5 * 3600_000;

/**
 * An application of these modules on Fastify, ready to listen.
 * @param root `AppModule`, or some features on a `PlatformModule`
 */
export async function createApp(root: DynamicModule): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: (request: IncomingMessage) => forwardedId(request) ?? newId(),
    frameworkErrors: (error: unknown, _request: unknown, reply: FastifyReply) => {
      sendHeadersOfRefusal(reply);
      sendProblem(reply, toProblem(error));
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: false,
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const env = app.get<Env>(ENV);
  fastify.server.maxConnections = MOST_CONNECTIONS;
  trustProxies(fastify.server, env.TOOLMARK_TRUSTED_PROXIES, env.TOOLMARK_PUBLIC_URL);
  answerInOrder(fastify);
  const inHand = new BytesInHand(bytesInHand(env.TOOLMARK_BODIES_MIB));
  addBodyParsers(fastify, { inHand, reader: readerOf(app) });
  fastify.addHook('onRequest', async ({ id }, reply) => void reply.header('x-request-id', id));
  await sendSecurityHeaders(fastify, env.TOOLMARK_PUBLIC_URL?.startsWith('https:') ?? false);
  measureRequests(fastify);
  closeConnections(fastify, app.get(Shutdown));
  boundAnswers(fastify, app.get(AnswerMemory));
  resetCutAnswers(fastify);
  await app.get(CallerLimits).begin(fastify);
  checkTokens(fastify, app.get(KnownCallers));
  refuseLargeBodies(fastify);
  takeTurns(fastify, app.get<Pool>(POOL));
  checkSuites(fastify, app.get<Pool>(POOL));
  // Must come after the hooks that release what a request holds.
  spaceRefusals(fastify);
  fastify.addHook('onRequest', async ({ query, params }) => [query, params].forEach(refuseUnstorable));
  serveDocument(app, fastify);
  await serveWeb(fastify);
  return app;
}

/** Undefined for some features on a `PlatformModule`, which may have no threads. */
function readerOf(app: NestFastifyApplication): LargeBodyReader | undefined {
  try {
    return app.get<LargeBodyReader>(BODY_READER);
  } catch {
    return undefined;
  }
}
