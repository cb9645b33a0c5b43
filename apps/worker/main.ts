import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import 'reflect-metadata';
import { createPool, levelOfSession } from '#lib/db/connection/pool';
import { readEnv } from '#lib/runtime/env';
import { handleUncaughtErrors } from '#lib/runtime/uncaught-errors';
import { createLogger } from '#lib/runtime/logger';
import { pingRedis } from '#lib/runtime/redis';
import { startTracing } from '#lib/runtime/tracing/tracing';
import { waitForDependencies } from '#lib/runtime/wait-for-dependencies';
import { WorkerProcess } from './worker-process.js';
import { WorkerModule } from './worker.module.js';

const env = readEnv();
const logger = createLogger('worker', env.LOG_LEVEL);

await startTracing('toolmark-worker', env);
const pool = createPool(env.DATABASE_URL, 1);
await waitForDependencies(
  {
    'Postgres with its tables': () => levelOfSession(pool),
    Redis: () => pingRedis(env.REDIS_URL),
  },
  logger,
);
await pool.end();

const app = await NestFactory.create<NestFastifyApplication>(WorkerModule.of(env, logger), new FastifyAdapter(), {
  logger: false,
  abortOnError: false,
});
handleUncaughtErrors(logger, (endsInMs) => app.get(WorkerProcess).onUncaughtError(endsInMs));
app.enableShutdownHooks(undefined, { useProcessExit: true });
const port = env.PORT ?? 8503;
await app.listen(port, env.TOOLMARK_HOST);
logger.info({ host: env.TOOLMARK_HOST, port }, 'The worker is ready for items');
