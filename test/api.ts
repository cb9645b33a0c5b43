import { randomUUID } from 'node:crypto';
import 'reflect-metadata';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../apps/api/platform/create-app.js';
import { AppModule } from '../apps/api/app.module.js';
import type { PlatformOptions } from '../apps/api/platform/platform.module.js';
import { POOL } from '../apps/api/platform/stores.js';
import { loadFingerprintKey } from '#lib/db/catalogue/fingerprint-key';
import { bootstrapTeam } from '#lib/db/catalogue/teams';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { readEnv, type Env } from '#lib/runtime/env';
import { createLogger } from '#lib/runtime/logger';
import { Sealer } from '#lib/runtime/seal';
import { afterFile } from './after-file.js';
import { clientOf, type Answer, type Client } from './client.js';
import { ADMIN_TOKEN, TEST_SETTINGS } from './processes.js';
import { createDatabase, createRedis } from './services.js';
import { createTeamIn, sharedApi, sharedIdleApi } from './system.js';

export interface SharedApi {
  url: string;
  /** An owner of the team. */
  client: Client;
  teamId: string;
  operator: Client;
  /** Creates another team. */
  anotherTeam(): Promise<Answer>;
  databaseUrl: string;
  redisUrl: string;
  /** On the API's database. It is closed at the end of the test file. */
  pool: Pool;
}

/** A new team for the test file in an API that all files of a jest worker share. It may have workers. */
export const joinApi = async (): Promise<SharedApi> => teamViewOf(await sharedApi());

/** The same without workers. */
export const joinIdleApi = async (): Promise<SharedApi> => teamViewOf(await sharedIdleApi());

async function teamViewOf(shared: Awaited<ReturnType<typeof sharedApi>>): Promise<SharedApi> {
  const { operator, databaseUrl, redisUrl } = shared;
  const anotherTeam = () => operator.post('/api/teams', { name: `team ${randomUUID()}` });
  const pool = createPool(databaseUrl, 4);
  afterFile(() => pool.end());
  return { url: operator.url, ...(await createTeamIn(shared)), operator, anotherTeam, databaseUrl, redisUrl, pool };
}

export interface ApiInProcess {
  url: string;
  client: Client;
  env: Env;
  pool: Pool;
  app: NestFastifyApplication;
  close(): Promise<void>;
}

/**
 * The API in this process, on its own database.
 * @param modules the whole API, or some features on a `PlatformModule`
 */
export async function startApi(
  variables: Record<string, string> = {},
  modules: (options: PlatformOptions) => DynamicModule = AppModule.forRoot,
): Promise<ApiInProcess> {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = readEnv({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ...TEST_SETTINGS,
    ...variables,
  });
  const app = await createApp(modules({ env, logger: createLogger('api', 'silent') }));
  const pool = app.get<Pool>(POOL);
  await loadFingerprintKey(pool, app.get(Sealer));
  await bootstrapTeam(pool, ADMIN_TOKEN);
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return { url, client: clientOf(url), env, pool, app, close: () => app.close() };
}
