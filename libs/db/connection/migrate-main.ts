// `npm run db:migrate`: migrates the database of DATABASE_URL to the newest schema.
import { readDatabaseUrl } from '#lib/runtime/env';
import { withAdvice } from './connection-fault.js';
import { migrate } from './migrate.js';

try {
  const { migrations, functions, advice } = await migrate(readDatabaseUrl());
  const applied = [...migrations, ...functions.map((name) => `function ${name}`)];
  console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
  if (advice) console.error(advice);
} catch (error) {
  console.error(`The database was not migrated: ${withAdvice(error as Error).message}`);
  process.exitCode = 1;
}
