import 'reflect-metadata';
import { loadFingerprintKey } from '#lib/db/catalogue/fingerprint-key';
import { bootstrapTeam, canOperatorComeIn } from '#lib/db/catalogue/teams';
import { checkSchema } from '#lib/db/connection/check-schema';
import type { Pool } from '#lib/db/connection/pool';
import { PricesFault } from '#lib/providers/prices/read-prices';
import { collectorAgent } from '#lib/egress/collector-agent';
import { startEgress } from '#lib/egress/egress';
import { readEnv } from '#lib/runtime/env';
import { KeyRefsFault } from '#lib/runtime/key-refs/operator-keys';
import { createLogger } from '#lib/runtime/logger';
import { serveMetrics } from '#lib/runtime/metrics';
import { Sealer } from '#lib/runtime/seal';
import { startTracing } from '#lib/runtime/tracing/tracing';
import { handleUncaughtErrors } from '#lib/runtime/uncaught-errors';
import { waitForDependencies } from '#lib/runtime/wait-for-dependencies';
import { AppModule } from './app.module.js';
import { HealthController } from './health/health.controller.js';
import { createApp } from './platform/create-app.js';
import { Shutdown } from './platform/shutdown.js';
import { POOL } from './platform/stores.js';
import { SignInFault } from './sign-in/sign-in-file.js';

const DEFAULT_PORT = 8501;

const env = readEnv();
const logger = createLogger('api', env.LOG_LEVEL);
const port = env.PORT ?? DEFAULT_PORT;
const egress = startEgress(env, logger);
await startTracing('toolmark-api', env, (url) => collectorAgent(egress, url));

const app = await createApp(AppModule.forRoot({ env, logger })).catch((error: unknown) => {
  const place =
    (error instanceof PricesFault && 'TOOLMARK_PRICES_FILE is described in docs/costs.md.') ||
    (error instanceof SignInFault && 'TOOLMARK_SIGN_IN_FILE is described in docs/sign-in.md.') ||
    (error instanceof KeyRefsFault && 'TOOLMARK_KEY_REFS_FILE is described in docs/operations.md.');
  if (!place) throw error;
  process.stderr.write(`${(error as Error).message}\n${place}\n`);
  process.exit(1);
});
handleUncaughtErrors(logger, () => app.get(Shutdown).stopBeingReady());
const pool = app.get<Pool>(POOL);
await waitForDependencies(
  {
    'Postgres with its tables': async () => {
      await checkSchema(pool);
      await loadFingerprintKey(pool, app.get(Sealer));
      const secret = await bootstrapTeam(pool, env.TOOLMARK_ADMIN_TOKEN);
      // Shown only once: only its hash is stored.
      if (secret) process.stdout.write(`\nYour token: ${secret}\nIt is shown only once.\n\n`);
      if (!(await canOperatorComeIn(pool)))
        logger.warn('No owner of the team "default" can come in. Start an API with TOOLMARK_ADMIN_TOKEN.');
    },
  },
  logger,
  { port, host: env.TOOLMARK_HOST },
);

app.enableShutdownHooks(undefined, { useProcessExit: true });
if (env.TOOLMARK_METRICS_PORT !== undefined)
  await serveMetrics(() => app.get(HealthController).metrics.bytes(), env.TOOLMARK_METRICS_PORT, env.TOOLMARK_HOST);
await app.listen(port, env.TOOLMARK_HOST);
logger.info({ host: env.TOOLMARK_HOST, port }, 'The API is listening');
