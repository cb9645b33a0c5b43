import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const CHANGING: ReadonlySet<string> = new Set(['post', 'put', 'patch', 'delete']);
const PROBLEMS: Record<string, string> = {
  400: 'Not JSON, or it fails the schema; `errors` says which field and why',
  401: 'No token, or one that is unknown, revoked or expired',
  403: 'The role of the token does not allow this',
  404: 'No such id in this team',
  409: 'In conflict with the state of things, or the Idempotency-Key was used for another request',
  413: 'The body is larger than 10 MiB',
  422: 'It fits the schema, but does not fit together, names something that does not exist, or holds text that cannot be stored',
  503: 'The database cannot be reached at the moment; see Retry-After',
};

/** The API's description: the routes as Nest knows them, and what holds for all of them. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Toolmark')
    .setDescription(
      'Find out how well language models call tools. Errors are problem documents (RFC 9457). Lists answer `{items, next_cursor}`; pass `next_cursor` as `cursor` for the next page. Jobs can be followed live over Socket.IO on the same port, as docs/live.md of the repository describes.',
    )
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token of POST /api/tokens, or TOOLMARK_ADMIN_TOKEN' })
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}` });
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  for (const path of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = path[method];
      if (!operation) continue;
      const changes = CHANGING.has(method);
      const statuses = new Set([...Object.keys(operation.responses).filter((status) => status in PROBLEMS), '400', '401', '403', '422', '503']);
      if (changes) {
        statuses.add('409');
        operation.parameters = [
          ...(operation.parameters ?? []),
          { name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', minLength: 1, maxLength: 200 }, description: 'The same key and body get the same answer for 24 hours' },
        ];
      }
      if (operation.requestBody) statuses.add('413');
      for (const status of statuses) operation.responses[status] = { description: PROBLEMS[status]!, content: problem };
    }
  }
  return document;
}
