import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { bootstrapTeam } from '#lib/db/teams';
import { readEnv } from '#lib/runtime/env';
import { createLogger } from '#lib/runtime/logger';
import { createApp } from './create-app.js';
import { Deps } from './deps.js';
import { Live } from './live.js';

const env = readEnv();
const logger = createLogger('api', env.LOG_LEVEL);
const deps = new Deps(env, logger);

logger.info('Waiting for Postgres and its tables');
for (let told = false; ; await delay(500)) {
  try {
    const secret = await bootstrapTeam(deps.pool, env.TOOLMARK_ADMIN_TOKEN);
    // The one time it is shown: only its hash is kept.
    if (secret) process.stdout.write(`\nYour token: ${secret}\nIt is shown this once.\n\n`);
    break;
  } catch (error) {
    if (!told) logger.warn({ error: (error as Error).message }, 'Postgres is not ready: not reachable, or not migrated (npm run db:migrate)');
    told = true;
  }
}

const app = await createApp(deps);
app.enableShutdownHooks(undefined, { useProcessExit: true });
const port = env.PORT ?? 8501;
deps.live = new Live(deps, app.getHttpServer());
await app.listen(port, '0.0.0.0');
logger.info({ port }, 'The API is listening');
