import 'reflect-metadata';
import { createApp } from '../apps/api/platform/create-app.js';
import { Deps } from '../apps/api/platform/deps.js';
import { LiveServer } from '../apps/api/live/live-server.js';
import { bootstrapTeam } from '#lib/db/catalogue/teams';
import { readEnv } from '#lib/runtime/env';
import { connectRedis } from '#lib/runtime/redis';
import { createLogger } from '#lib/runtime/logger';
import { clientOf, type Client } from './client.js';
import { ADMIN_TOKEN, SEALING_KEY } from './processes.js';
import { createDatabase, createRedis } from './services.js';

export interface ApiInProcess {
  url: string;
  client: Client;
  deps: Deps;
  close(): Promise<void>;
}

/**
 * The API in this process, on a database of its own, speaking HTTP; with `live` Socket.IO as well, once in a test
 * file (it has metrics).
 */
export async function startApi(env: Record<string, string> = {}, { live = false } = {}): Promise<ApiInProcess> {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const deps = new Deps(
    readEnv({
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      TOOLMARK_SEALING_KEY: SEALING_KEY,
      TOOLMARK_ADMIN_TOKEN: ADMIN_TOKEN,
      TOOLMARK_ALLOW_PRIVATE_NETWORKS: 'true',
      ...env,
    }),
    createLogger('api', 'silent'),
  );
  await bootstrapTeam(deps.pool, ADMIN_TOKEN);
  const app = await createApp(deps);
  if (live)
    deps.live = new LiveServer({
      httpServer: app.getHttpServer(),
      pool: deps.pool,
      prisma: deps.prisma,
      subscriber: connectRedis(deps.env.REDIS_URL, 'subscriber', deps.logger),
      logger: deps.logger,
      isShuttingDown: () => deps.ending,
    });
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return { url, client: clientOf(url), deps, close: () => app.close() };
}
