import { Module, StandardSchemaValidationPipe } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { parseJson, plainNumbers } from '#lib/contracts/json';
import { pointer, ProblemError } from '#lib/contracts/problem';
import { AuthGuard } from './auth.guard.js';
import { Deps } from './deps.js';
import { ExperimentsController } from './experiments.controller.js';
import { HealthController } from './health.controller.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { ProblemFilter } from './problem.filter.js';
import { ProvidersController } from './providers.controller.js';
import { RunsController } from './runs.controller.js';
import { SuitesController } from './suites.controller.js';
import { TeamsController } from './teams.controller.js';

const LARGEST_BODY_BYTES = 10 * 2 ** 20;

/** The API, ready to listen. */
export async function createApp(deps: Deps): Promise<NestFastifyApplication> {
  @Module({
    controllers: [HealthController, TeamsController, ProvidersController, SuitesController, RunsController, ExperimentsController],
    providers: [
      { provide: Deps, useFactory: () => deps },
      { provide: APP_GUARD, useClass: AuthGuard },
      { provide: APP_FILTER, useClass: ProblemFilter },
      { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    ],
  })
  class ApiModule {}

  const app = await NestFactory.create<NestFastifyApplication>(ApiModule, new FastifyAdapter({ bodyLimit: LARGEST_BODY_BYTES }), {
    logger: false, abortOnError: false, bodyParser: false,
  });
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: LARGEST_BODY_BYTES }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, plainNumbers(parseJson(body as string)));
    } catch (error) {
      done(new ProblemError(400, `The body is not JSON: ${(error as Error).message}`), undefined);
    }
  });
  app.useGlobalPipes(
    new StandardSchemaValidationPipe({
      exceptionFactory: (issues) => {
        const errors = issues.map((issue) => ({
          path: pointer((issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))), message: issue.message,
        }));
        return new ProblemError(400, errors.length === 1 ? `${errors[0]!.path} ${errors[0]!.message}` : `${errors.length} fields are not as they should be.`, errors);
      },
    }),
  );
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder().setTitle('Toolmark').setDescription('Find out how well language models call tools.').setVersion('1').addBearerAuth().addSecurityRequirements('bearer').build(),
  );
  SwaggerModule.setup('docs', app, document, { jsonDocumentUrl: 'openapi.json' });
  return app;
}
