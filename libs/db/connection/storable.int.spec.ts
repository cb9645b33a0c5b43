import { parseJson } from '#lib/contracts/json/json';
import { findUnstorable } from '#lib/contracts/json/storable';
import { createDatabase } from '../../../test/services.js';
import { createPool, type Pool } from './pool.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 2)), 60_000);
afterAll(() => pool.end());

it.each([
  '1e999',
  '1e131071',
  '1e131072',
  '9.9e131071',
  '10e131071',
  '0.001e131073',
  '0.001e131075',
  '1e-16383',
  '1e-16384',
  '1.5e-16382',
  '1.5e-16383',
  '1e-131072',
  '-1e131072',
  '1e999999',
  '-1e-999999',
  '9'.repeat(131_072),
  '9'.repeat(131_073),
  `0.${'1'.repeat(16_383)}`,
  `0.${'1'.repeat(16_384)}`,
  `${'1'.repeat(20_000)}e-16383`,
  '1e99999999999999999999',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\ud83d\\ude00"',
  '{"\\u0000":1}',
  '{"a":["\\udfff"]}',
  '"\\\\u0000"',
])('%.40s counts as storable if and only if Postgres accepts it as jsonb', async (json) => {
  const taken = await pool.query('SELECT $1::jsonb', [json]).then(
    () => true,
    () => false,
  );
  expect(findUnstorable(parseJson(json)) === undefined).toBe(taken);
});
