// Fails if anything in an OpenAPI document (a file, or else the API's own) lacks a description or an example, or if
// Redocly's linter finds a fault. Needs no services.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { installTool } from '../test/tools.ts';
import { findUndescribed } from './find-undescribed.mjs';

const requireTool = createRequire(`${installTool('openapi-lint')}/`);
const { createConfig, lintFromString } = requireTool('@redocly/openapi-core');
const [, , file] = process.argv;
const source = file ? readFileSync(file, 'utf8') : JSON.stringify(await ownDocument());
// All recommended rules, and rules that check examples against their schemas and require descriptions.
const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'operation-description': 'error',
    'parameter-description': 'error',
    'tag-description': 'error',
  },
});
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
const faults = [
  ...findUndescribed(JSON.parse(source)),
  ...problems.map(({ ruleId, message, location }) => `${location[0]?.pointer ?? ''} ${message} (${ruleId})`),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length) {
  process.stderr.write(
    `\nThe description of the API has ${faults.length} faults. Fields are described in ` +
      'libs/contracts, their examples are captured by npm run docs:examples, routes have @About.\n',
  );
  process.exitCode = 1;
}

/** Routes are described without being called, so their dependencies are never used. */
async function ownDocument() {
  await import('reflect-metadata');
  const [{ AppModule }, { describeApi }] = await Promise.all([
    import('../dist/apps/api/app.module.js'),
    import('../dist/apps/api/platform/openapi.js'),
  ]);
  const app = await NestFactory.create(AppModule.forRoot({ env: {} }), new FastifyAdapter(), {
    preview: true, // connects to nothing
    logger: false,
  });
  return describeApi(app);
}
