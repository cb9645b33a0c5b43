import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { findUndescribed } = (await import('../scripts/find-undescribed.mjs' as string)) as {
  findUndescribed: (document: object) => string[];
};
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The output lines of `npm run check` for a document. */
function check(document: object): string[] {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/check-openapi.mjs', file], { encoding: 'utf8' });
  const lines = stderr.split('\n\n')[0]!.split('\n').filter(Boolean);
  expect(status).toBe(lines.length ? 1 : 0);
  return lines;
}

const text = { type: 'string', description: 'What it is called.', examples: ['a'] };
const documentOf = (operation: object, schema: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'An API', version: '1', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
  servers: [{ url: '/' }],
  security: [{ bearer: [] }],
  tags: [{ name: 'Things', description: 'Things that there are.' }],
  paths: {
    '/things': {
      post: {
        operationId: 'make',
        tags: ['Things'],
        summary: 'Make a thing',
        description: 'It is new.',
        parameters: [
          {
            name: 'dry',
            in: 'query',
            description: 'Whether nothing is made.',
            schema: { type: 'boolean' },
            example: true,
          },
        ],
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' }, example: { name: 'a' } } },
        },
        responses: { 204: { description: 'Done.' }, 400: { description: 'Refused.' } },
        ...operation,
      },
    },
  },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token.' } },
    schemas: { Thing: { type: 'object', description: 'A thing.', properties: { name: text }, ...schema } },
  },
});
const bodyOf = (content: object) => ({ requestBody: { content: { 'application/json': content } } });
const inThing = (field: object) => documentOf({}, { properties: { name: text, inner: field } });
const inner = (field: object) =>
  inThing({
    type: 'array',
    description: 'More.',
    examples: [[]],
    items: { anyOf: [{ type: 'object', properties: { deep: field } }, { type: 'null' }] },
  });

describe('npm run check', () => {
  it('accepts a complete description of the API', () => {
    expect(check(inner(text))).toEqual([]);
    expect(check(documentOf({}, { description: undefined }))).toEqual(['Thing has no description']);
  });

  it.each<[missing: string, document: object, fault: string]>([
    ['a summary', documentOf({ summary: undefined }), 'POST /things has no summary: give it @About'],
    ['a description of a route', documentOf({ description: '' }), 'POST /things has no description: give it @About'],
    ['a description of a tag', documentOf({ tags: ['Others'] }), 'The tag "Others" of POST /things has no description'],
    [
      'a description of a parameter',
      documentOf({ parameters: [{ name: 'dry', in: 'query', schema: {}, example: 1 }] }),
      'Parameter "dry" of POST /things has no description',
    ],
    [
      'an example of a parameter',
      documentOf({ parameters: [{ name: 'dry', in: 'query', schema: {}, description: 'A.' }] }),
      'Parameter "dry" of POST /things has no example',
    ],
    [
      'an example of a body',
      documentOf(bodyOf({ schema: { type: 'string' } })),
      'The body of POST /things (application/json) has no example',
    ],
    [
      'an example of an answer',
      documentOf({
        responses: { 200: { description: 'A.', content: { 'text/csv': { schema: {} } } }, 400: { description: 'B.' } },
      }),
      'Answer 200 of POST /things (text/csv) has no example',
    ],
    ['a description of a schema', documentOf({}, { description: undefined }), 'Thing has no description'],
    ['a description of a field', inThing({ type: 'string', examples: ['a'] }), 'Thing.inner has no description'],
    ['an example of a field', inThing({ type: 'string', description: 'A.' }), 'Thing.inner has no example'],
    [
      'a description of a field far inside',
      inner({ type: 'string', examples: ['a'] }),
      'Thing.inner[].deep has no description',
    ],
  ])('refuses one without %s', (_missing, document, fault) => {
    expect(findUndescribed(document)).toEqual([fault]);
  });

  it('refuses examples that do not match the schema, and anything else the linter refuses', () => {
    expect(check(documentOf(bodyOf({ schema: { $ref: '#/components/schemas/Thing' }, example: { name: 1 } })))).toEqual(
      [expect.stringMatching(/type must be string.*\(no-invalid-media-type-examples\)$/)],
    );
    expect(check(inThing({ type: 'integer', description: 'A.', examples: ['a'] }))).toEqual([
      expect.stringMatching(/type must be integer.*\(no-invalid-schema-examples\)$/),
    ]);
    expect(check({ ...documentOf({}), servers: [] })).toEqual([expect.stringMatching(/\(no-empty-servers\)$/)]);
  });
});
