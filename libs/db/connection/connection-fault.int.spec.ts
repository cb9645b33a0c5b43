import { createDatabase } from '../../../test/services.js';
import { withAdvice } from './connection-fault.js';
import { migrate } from './migrate.js';

const saidOf = (databaseUrl: string): Promise<string> =>
  migrate(databaseUrl).then(
    () => 'migrated',
    (error: Error) => withAdvice(error).message,
  );

it('a database that cannot be reached ends in a sentence that names what to check', async () => {
  expect(await saidOf('postgres://nobody@nowhere.invalid/x')).toMatch(
    /^the host nowhere\.invalid of DATABASE_URL does not resolve: .*\(getaddrinfo \w+ nowhere\.invalid\)$/,
  );
  expect(await saidOf('postgres://nobody@127.0.0.1:1/x')).toMatch(/^nothing listens at 127\.0\.0\.1:1: are host and /);
});

it('one that refuses does too', async () => {
  const { url } = await createDatabase();
  const of = (change: Partial<URL>): string => Object.assign(new URL(url), change).href;
  expect(await saidOf(of({ search: '?sslmode=require' }))).toMatch(/^Postgres has no TLS there: remove sslmode /);
  const refused = Object.assign(new Error('password authentication failed for user "x"'), { code: '28P01' });
  expect(withAdvice(refused)).toMatchObject({
    message: 'Postgres refuses the user or the password of DATABASE_URL (password authentication failed for user "x")',
    code: '28P01',
  });
});

it('an error of another kind stays as it is', () => {
  const error = new Error('relation "x" does not exist');
  expect(withAdvice(error)).toBe(error);
});
