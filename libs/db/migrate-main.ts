// `npm run db:migrate`: brings the database of DATABASE_URL to the newest schema. With --diff: prints the SQL that the newest
// schema.prisma needs beyond that; `scripts/make-migration.mjs` makes a migration of it.
import { readDatabaseUrl } from '#lib/runtime/env';
import { diffToSchema, migrate } from './migrate.js';

const databaseUrl = readDatabaseUrl();
const applied = await migrate(databaseUrl).catch((error: Error) => {
  console.error(`The database was not migrated: ${error.message}`);
  process.exit(1);
});
if (process.argv.includes('--diff')) process.stdout.write(await diffToSchema(databaseUrl));
else console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
process.exit(0); // The engine leaves a timer behind that would hold the process for ten seconds.
