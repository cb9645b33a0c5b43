// `npm run db:migrate`: brings the database of DATABASE_URL to the newest schema.
import { readDatabaseUrl } from '#lib/runtime/env';
import { migrate } from './migrate.js';

const applied = await migrate(readDatabaseUrl());
console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
