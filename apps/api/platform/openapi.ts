import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { PROBLEM_EXAMPLES } from '#lib/contracts/examples/examples';
import { Problem } from '#lib/contracts/problem';
import type { Role } from '#lib/contracts/team';
import { addExamples } from './openapi-examples.js';
import { ALSO_ANSWERS, ALSO_TAKES, NEEDS } from './decorators.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const CHANGING: ReadonlySet<string> = new Set(['post', 'put', 'patch', 'delete']);
const PROBLEMS: Record<string, string> = {
  400: 'Not JSON, or it fails the schema; `errors` says which field and why.',
  401: 'No token, or one that is unknown, revoked or expired.',
  403: 'The role of the token does not allow this.',
  404: 'There is no such id in this team.',
  408: 'The body broke off, or nothing of it came for a minute. Send it again.',
  409: 'In conflict with the state of things, or the Idempotency-Key was used for another request.',
  413: 'The body is larger than 10 MiB, or than its route says.',
  422:
    'It fits the schema, but does not fit together, names something that does not exist, or holds text ' +
    'that cannot be stored.',
  429: 'The team asks for much work at once just now; see Retry-After.',
  503: 'The database cannot be reached at the moment; see Retry-After.',
};
const TAGS: Record<string, string> = {
  Suites: 'Tools, and cases that say what is asked and which call would be right.',
  Imports: 'Suites out of files and into files.',
  Mcp: 'Suites out of the tools of MCP servers.',
  Runs: 'Suites played with models: estimates, runs, their results, and the jobs that carry them out.',
  Recorded: 'Runs whose replies were made elsewhere.',
  Metrics: 'Metrics that runs compute beside the house score.',
  Experiments: 'Runs that belong together, compared with a baseline.',
  Providers: 'Endpoints that are asked, and their models.',
  Lanes: 'Where requests queue under the limits of a provider, and how they fare just now.',
  Teams: 'Who you are, the tokens of a team, and teams.',
  Settings: 'What holds for a team as a whole.',
};
/** Controllers whose routes users look for under the tag of another. */
const TAG_OF_CONTROLLER: Record<string, string> = { Results: 'Runs', Jobs: 'Runs' };
const tagOf = (name: string): string => TAG_OF_CONTROLLER[name] ?? name;

/** What an id in a path names, by the segment in front of it. */
const NAMED_IN_PATH: Record<string, { description: string; example: string }> = {
  'tool-suites': { description: 'The id of the suite.', example: '019aa8a2-5c1e-7000-8000-000000000011' },
  cases: { description: 'The id of the case.', example: '019aa8a2-5c1e-7000-8000-000000000021' },
  history: {
    description: 'The id of the run: the `eval_id` of its submit.',
    example: '019aa8a2-5c1e-7000-8000-000000000031',
  },
  results: { description: 'The id of the result, as the list of results has it.', example: '0-0-0' },
  jobs: { description: 'The id of the job.', example: '019aa8a2-5c1e-7000-8000-000000000041' },
  experiments: { description: 'The id of the experiment.', example: '019aa8a2-5c1e-7000-8000-000000000051' },
  lanes: { description: 'The id of the lane.', example: '019aa8a2-5c1e-7000-8000-000000000061' },
  tokens: {
    description: 'The id of the token, which is not its secret.',
    example: '019aa8a2-5c1e-7000-8000-000000000071',
  },
  providers: { description: 'The `key` of the provider.', example: 'openai' },
};

/**
 * The API's description: the routes as Nest knows them, the schemas of libs/contracts, and what holds for all
 * routes.
 */
export function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Toolmark')
    .setDescription(
      'Find out how well language models call tools. Errors are problem documents (RFC 9457). Lists ' +
        'answer `{items, next_cursor}`; pass `next_cursor` as `cursor` for the next page. Times are ' +
        'ISO 8601 in UTC. Jobs can be followed live over Socket.IO on the same port, as docs/live.md ' +
        'of the repository describes.',
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'This installation')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'A token of POST /api/tokens, or TOOLMARK_ADMIN_TOKEN.',
    })
    .addSecurityRequirements('bearer');
  for (const [tag, description] of Object.entries(TAGS)) config.addTag(tag, description);
  const schemas = { input: {}, output: convert(Problem, 'output').components };
  const document = SwaggerModule.createDocument(app, config.build(), {
    operationIdFactory: (controller, method) => `${tagOf(controller.replace(/Controller$/, ''))}_${method}`,
    standardSchemaConverter: (schema, { schemaType }) => {
      const { schema: converted, components } = convert(schema as z.ZodType, schemaType);
      Object.assign(schemas[schemaType], components);
      return { schema: converted };
    },
  }) as OpenAPIObject & { components: object };
  // A schema of both requests and answers says what requests may leave out.
  document.components.schemas = { ...schemas.output, ...schemas.input };
  document.components.parameters = { 'Idempotency-Key': IDEMPOTENCY_KEY };
  document.components.responses = Object.fromEntries(
    Object.entries(PROBLEMS).map(([status, description]) => [`Problem${status}`, problemResponse(status, description)]),
  );
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation: Operation | undefined = item[method];
      if (!operation) continue;
      const changes = CHANGING.has(method);
      operation.tags = operation.tags?.map(tagOf);
      if (operation.description)
        operation.description +=
          ' Needs the role ' +
          `\`${operation[NEEDS] ?? (changes ? 'editor' : 'viewer')}\`${operation[NEEDS] === 'owner' ? '' : ' or above'}.`;
      addTexts(operation.requestBody, operation[ALSO_TAKES]);
      addTexts(operation.responses['200'], operation[ALSO_ANSWERS]);
      for (const word of [NEEDS, ALSO_TAKES, ALSO_ANSWERS] as const) delete operation[word];
      const statuses = new Set([
        ...Object.keys(operation.responses).filter((status) => status in PROBLEMS),
        '400',
        '401',
        '403',
        '422',
        '503',
      ]);
      for (const parameter of operation.parameters ?? [])
        if ('in' in parameter && parameter.in === 'path') Object.assign(parameter, namedInPath(path, parameter.name));
      if (changes) {
        statuses.add('409');
        operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/Idempotency-Key' }];
      }
      if (operation.requestBody) statuses.add('413');
      for (const status of statuses) operation.responses[status] = { $ref: `#/components/responses/Problem${status}` };
    }
  }
  addExamples(document);
  return document;
}

type Components = Record<string, object>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [NEEDS]?: Role;
  [ALSO_TAKES]?: Record<string, string>;
  [ALSO_ANSWERS]?: Record<string, string>;
};

function addTexts(holder: object | undefined, examples: Record<string, string> = {}): void {
  const { content = {} } = (holder ?? {}) as { content?: Components };
  for (const [type, example] of Object.entries(examples))
    content[type] = { schema: { type: 'string', description: 'The file.' }, example };
}

/**
 * A schema as JSON Schema, without what only zod needs: the bounds of safe integers, and patterns of what `format`
 * says.
 */
function convert(schema: z.ZodType, io: 'input' | 'output'): { schema: object; components: Components } {
  const made = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === 'uuid' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  const {
    $defs: components = {},
    $schema: _draft,
    ...rest
  } = JSON.parse(
    JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as z.core.JSONSchema.BaseSchema;
  return { schema: rest, components: components as Components };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  schema: { type: 'string' as const, minLength: 1, maxLength: 200, examples: ['nightly-2026-11-20'] },
  description:
    'A text of your choice: the same one with the same request gets the same answer for 24 hours, ' +
    'and does nothing again.',
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
          description: 'Seconds after which to try again.',
          schema: { type: 'integer' as const },
          example: 5,
        },
      },
    }),
  };
}

function namedInPath(path: string, name: string): object | undefined {
  const segments = path.split('/');
  const named = NAMED_IN_PATH[segments[segments.indexOf(`{${name}}`) - 1]!];
  return named && { description: named.description, schema: { type: 'string', examples: [named.example] } };
}
