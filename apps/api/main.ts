import 'reflect-metadata';
import { bootstrapTeam } from '#lib/db/catalogue/teams';
import { readEnv } from '#lib/runtime/env';
import { handleUncaughtErrors } from '#lib/runtime/uncaught-errors';
import { connectRedis } from '#lib/runtime/redis';
import { createLogger } from '#lib/runtime/logger';
import { startTracing } from '#lib/runtime/tracing/tracing';
import { waitForDependencies } from '#lib/runtime/wait-for-dependencies';
import { createApp } from './platform/create-app.js';
import { Deps } from './platform/deps.js';
import { LiveServer } from './live/live-server.js';

const env = readEnv();
const logger = createLogger('api', env.LOG_LEVEL);
const deps = new Deps(env, logger);
handleUncaughtErrors(logger, () => (deps.ending = true));
await startTracing('toolmark-api', env);

await waitForDependencies(
  {
    'Postgres with its tables': async () => {
      const secret = await bootstrapTeam(deps.pool, env.TOOLMARK_ADMIN_TOKEN);
      // The one time it is shown: only its hash is kept.
      if (secret) process.stdout.write(`\nYour token: ${secret}\nIt is shown this once.\n\n`);
    },
  },
  logger,
);

const app = await createApp(deps);
app.enableShutdownHooks(undefined, { useProcessExit: true });
const port = env.PORT ?? 8501;
deps.server = app.getHttpServer();
deps.live = new LiveServer({
  httpServer: deps.server,
  pool: deps.pool,
  prisma: deps.prisma,
  subscriber: connectRedis(deps.env.REDIS_URL, 'subscriber', deps.logger),
  logger: deps.logger,
  isShuttingDown: () => deps.ending,
});
await app.listen(port, '0.0.0.0');
logger.info({ port }, 'The API is listening');
