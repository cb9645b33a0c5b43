import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import 'reflect-metadata';
import { checkSealingKeys } from '#lib/db/catalogue/fingerprint-key';
import { checkSchema } from '#lib/db/connection/check-schema';
import { createPool } from '#lib/db/connection/pool';
import { collectorAgent } from '#lib/egress/collector-agent';
import { startEgress } from '#lib/egress/egress';
import { readEnv } from '#lib/runtime/env';
import { KeyRefsFault } from '#lib/runtime/key-refs/operator-keys';
import { handleUncaughtErrors } from '#lib/runtime/uncaught-errors';
import { createLogger } from '#lib/runtime/logger';
import { registry, serveMetrics } from '#lib/runtime/metrics';
import { pingRedis } from '#lib/runtime/redis';
import { Sealer } from '#lib/runtime/seal';
import { startTracing } from '#lib/runtime/tracing/tracing';
import { waitForDependencies } from '#lib/runtime/wait-for-dependencies';
import { WorkerProcess } from './worker-process.js';
import { WorkerModule } from './worker.module.js';

const env = readEnv();
const logger = createLogger('worker', env.LOG_LEVEL);
const port = env.PORT ?? 8503;

const egress = startEgress(env, logger);
await startTracing('toolmark-worker', env, (url) => collectorAgent(egress, url));
const pool = createPool(env.DATABASE_URL, 1);
await waitForDependencies(
  {
    'Postgres with its tables': async () => {
      await checkSchema(pool);
      await checkSealingKeys(pool, Sealer.of(env));
    },
    Redis: () => pingRedis(env.REDIS_URL),
  },
  logger,
  { port, host: env.TOOLMARK_HOST },
);
await pool.end();

const app = await NestFactory.create<NestFastifyApplication>(WorkerModule.of(env, logger), new FastifyAdapter(), {
  logger: false,
  abortOnError: false,
}).catch((error: unknown) => {
  if (!(error instanceof KeyRefsFault)) throw error;
  process.stderr.write(`${error.message}\nTOOLMARK_KEY_REFS_FILE is described in docs/operations.md.\n`);
  process.exit(1);
});
handleUncaughtErrors(logger, (endsInMs) => app.get(WorkerProcess).onUncaughtError(endsInMs));
app.enableShutdownHooks(undefined, { useProcessExit: true });
if (env.TOOLMARK_METRICS_PORT !== undefined)
  await serveMetrics(() => registry.metrics(), env.TOOLMARK_METRICS_PORT, env.TOOLMARK_HOST);
await app.listen(port, env.TOOLMARK_HOST);
logger.info({ host: env.TOOLMARK_HOST, port }, 'The worker is ready for items');
