import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import 'reflect-metadata';
import { readEnv } from '#lib/runtime/env';
import { createLogger } from '#lib/runtime/logger';
import { WorkerModule } from './worker.module.js';

const env = readEnv();
const logger = createLogger('worker', env.LOG_LEVEL);
const app = await NestFactory.create<NestFastifyApplication>(WorkerModule.of(env, logger), new FastifyAdapter(), { logger: false, abortOnError: false });
app.enableShutdownHooks(undefined, { useProcessExit: true });
const port = env.PORT ?? 8503;
await app.listen(port, '0.0.0.0');
logger.info({ port }, 'The worker is ready for items');
