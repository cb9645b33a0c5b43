// Writes the Prisma client of prisma/schema to libs/db/generated: the same files as `prisma generate`, because it calls
// the same generator. The command itself would bring Prisma Studio and an embedded database, a fifth of all packages by
// size.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url); // The generator's ES modules import unpublished files.
const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
const { getGenerators } = require('@prisma/internals');

const generators = await getGenerators({
  schemaPath: join(root, 'prisma/schema'),
  registry: { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } },
});
for (const generator of generators) await generator.generate();
