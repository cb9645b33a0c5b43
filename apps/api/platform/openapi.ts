import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import { PROBLEM_EXAMPLES } from '#lib/contracts/examples/examples';
import { Problem } from '#lib/contracts/input/problem-document';
import type { Role } from '#lib/contracts/team';
import { SESSION_COOKIE } from './credentials.js';
import { MAX_OPEN_BYTES } from './auth.js';
import { USUAL_BODY_BYTES } from './body-bounds.js';
import { ALSO_ANSWERS, ALSO_TAKES, NEEDS, OPEN, TAKES_BYTES } from './decorators.js';
import { sizeName } from './upload.js';
import { addExamples } from './openapi-examples.js';
import { toJsonSchema, type SchemaComponents } from './openapi-schema.js';
import { describePathParameter, INTRODUCTION, PROBLEMS, TAGS } from './openapi-texts.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const CHANGING_METHODS: ReadonlySet<string> = new Set(['post', 'put', 'patch', 'delete']);
/** Problems that any route may return. */
const COMMON_PROBLEMS = ['400', '401', '403', '422', '429', '503'];

/** Controllers whose routes are listed under the tag of another, and use its name in their operation ids. */
const TAG_OF_CONTROLLER: Record<string, string> = {
  Results: 'Runs',
  Ranking: 'Runs',
  RunFigures: 'Runs',
  Notes: 'Runs',
  Jobs: 'Runs',
  Resume: 'Runs',
  SuiteVersions: 'Suites',
  Sessions: 'Teams',
  DeviceLogins: 'Teams',
  Calibration: 'Labels',
  JudgeSettings: 'Judge',
};
const tagOf = (controller: string): string => TAG_OF_CONTROLLER[controller] ?? controller;

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [NEEDS]?: Role;
  [OPEN]?: true;
  [TAKES_BYTES]?: number;
  [ALSO_TAKES]?: Record<string, string>;
  [ALSO_ANSWERS]?: Record<string, string>;
};

/**
 * Builds the OpenAPI document: the routes from Nest, the schemas of `libs/contracts`, and what applies to all routes.
 */
export function describeApi(app: INestApplication): OpenAPIObject {
  const schemas = { input: {}, output: toJsonSchema(Problem, 'output').components };
  const document = SwaggerModule.createDocument(app, documentHead(), {
    operationIdFactory: (controller, method) => `${tagOf(controller.replace(/Controller$/, ''))}_${method}`,
    standardSchemaConverter: (schema, { schemaType }) => {
      const { schema: converted, components } = toJsonSchema(schema as z.ZodType, schemaType);
      Object.assign(schemas[schemaType], components);
      return { schema: converted };
    },
  }) as OpenAPIObject & { components: object };
  // A schema used by both requests and responses describes what requests may omit.
  document.components.schemas = { ...schemas.output, ...schemas.input };
  document.components.parameters = { 'Idempotency-Key': IDEMPOTENCY_KEY };
  document.components.responses = Object.fromEntries(
    Object.entries(PROBLEMS).map(([status, description]) => [`Problem${status}`, problemResponse(status, description)]),
  );
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) if (item[method]) completeOperation(item[method], path, CHANGING_METHODS.has(method));
  }
  addExamples(document);
  return document;
}

function documentHead(): ReturnType<DocumentBuilder['build']> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Toolmark')
    .setDescription(INTRODUCTION)
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'This installation')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'A token from POST /api/tokens, or TOOLMARK_ADMIN_TOKEN.',
    })
    .addSecurityRequirements('bearer')
    .addCookieAuth(
      SESSION_COOKIE,
      {
        type: 'apiKey',
        description: 'A session from POST /api/session. It is valid only for the pages of this server.',
      },
      'session',
    )
    .addSecurityRequirements('session');
  for (const [tag, description] of Object.entries(TAGS)) builder.addTag(tag, description);
  return builder.build();
}

/** Applies the extensions that decorators set, and what every route of this kind has. */
function completeOperation(operation: Operation, path: string, isChanging: boolean): void {
  operation.tags = operation.tags?.map(tagOf);
  const isOpen = operation[OPEN];
  if (isOpen) operation.security = [];
  else if (operation.description) operation.description += roleSentence(operation[NEEDS], isChanging);
  describeBound(operation.requestBody, isOpen ? MAX_OPEN_BYTES : (operation[TAKES_BYTES] ?? USUAL_BODY_BYTES));
  addTexts(operation.requestBody, operation[ALSO_TAKES]);
  addTexts(operation.responses['200'], operation[ALSO_ANSWERS]);
  for (const extension of [NEEDS, OPEN, TAKES_BYTES, ALSO_TAKES, ALSO_ANSWERS] as const) delete operation[extension];
  for (const parameter of operation.parameters ?? [])
    if ('in' in parameter && parameter.in === 'path')
      Object.assign(parameter, describePathParameter(path, parameter.name));
  if (isChanging && !isOpen)
    operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/Idempotency-Key' }];
  for (const status of problemsOf(operation, isChanging))
    operation.responses[status] = { $ref: `#/components/responses/Problem${status}` };
}

function roleSentence(role: Role | undefined, isChanging: boolean): string {
  if (role === 'owner') return ' Needs the role `owner`.';
  return ` Needs the role \`${role ?? (isChanging ? 'editor' : 'viewer')}\` or above.`;
}

function problemsOf(operation: Operation, isChanging: boolean): Set<string> {
  const own = Object.keys(operation.responses).filter((status) => status in PROBLEMS);
  return new Set([
    ...own,
    ...COMMON_PROBLEMS,
    ...(isChanging ? ['409'] : []),
    ...(operation.requestBody ? ['408', '413', '415'] : []),
  ]);
}

/** Documents the maximum size of a JSON body. */
function describeBound(body: Operation['requestBody'], bytes: number): void {
  if (body && 'content' in body) body.description = `JSON of at most ${sizeName(bytes)}.`;
}

/** Adds content types in addition to JSON, each with its example. */
function addTexts(holder: object | undefined, examples: Record<string, string> = {}): void {
  const { content = {} } = (holder ?? {}) as { content?: SchemaComponents };
  for (const [type, example] of Object.entries(examples))
    content[type] = { schema: { type: 'string', description: 'The file.' }, example };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  schema: { type: 'string' as const, minLength: 1, maxLength: 200, examples: ['nightly-2026-11-20'] },
  description:
    'A key of your choice. For 24 hours, the same key with the same request gets the same response ' +
    'and changes nothing again.',
};

function problemResponse(status: string, description: string) {
  const waits = status === '429' || status === '503';
  return {
    description,
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: PROBLEM_EXAMPLES[status],
      },
    },
    ...(waits && {
      headers: {
        'Retry-After': {
          description: 'Seconds to wait before trying again.',
          schema: { type: 'integer' as const },
          example: 5,
        },
      },
    }),
  };
}
