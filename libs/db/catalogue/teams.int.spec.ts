import { createDatabase } from '../../../test/services.js';
import { createPool, type Pool } from '../connection/pool.js';
import { bootstrapTeam, canOperatorComeIn } from './teams.js';
import { TokenRepository } from './tokens.js';
import { findCaller, type Caller } from './callers.js';

const pools: Pool[] = [];
const fresh = async (): Promise<Pool> => {
  const pool = createPool((await createDatabase()).url, 5);
  pools.push(pool);
  return pool;
};
afterAll(() => Promise.all(pools.map((pool) => pool.end())));
const callerOf = (pool: Pool, token: string): Promise<Caller | undefined> =>
  findCaller(pool, { kind: 'token', secret: token });
const ADMIN = 'a-token-of-the-operator';

describe('the first start', () => {
  it('creates a team, its owner and one token, logged once; the second start creates nothing', async () => {
    const pool = await fresh();
    const secret = await bootstrapTeam(pool, undefined);
    expect(await callerOf(pool, secret!)).toMatchObject({ teamName: 'default', role: 'owner' });
    expect(await bootstrapTeam(pool, undefined)).toBeUndefined();
    expect((await pool.query('SELECT 1 FROM token')).rowCount).toBe(1);
  });

  it('of several processes at the same instant creates one team and one token', async () => {
    const pool = await fresh();
    const secrets = await Promise.all([1, 2, 3, 4].map(() => bootstrapTeam(pool, undefined)));
    expect(secrets.filter((secret) => secret !== undefined)).toHaveLength(1);
    const made = await pool.query(
      `SELECT (SELECT count(*)::int FROM team) AS teams, (SELECT count(*)::int
        FROM users) AS users, (SELECT count(*)::int FROM token) AS tokens`,
    );
    expect(made.rows).toEqual([{ teams: 1, users: 1, tokens: 1 }]);
  });
});

describe('the admin token', () => {
  it('is valid after every start, even if it was deleted or set later', async () => {
    const pool = await fresh();
    await bootstrapTeam(pool, undefined);
    expect(await callerOf(pool, ADMIN)).toBeUndefined();
    expect(await Promise.all([1, 2].map(() => bootstrapTeam(pool, ADMIN)))).toEqual([undefined, undefined]);
    expect(await callerOf(pool, ADMIN)).toMatchObject({ teamName: 'default', role: 'owner' });
    await pool.query(`DELETE FROM token WHERE name = 'admin'`);
    await bootstrapTeam(pool, ADMIN);
    expect(await callerOf(pool, ADMIN)).toMatchObject({ role: 'owner' });
  });

  it('is revoked when a later start sets another one or none; other tokens stay', async () => {
    const pool = await fresh();
    await bootstrapTeam(pool, ADMIN);
    const caller = (await callerOf(pool, ADMIN))!;
    const { secret } = await new TokenRepository(pool, caller.teamId).create(caller.userName, {
      name: 'made by hand',
      role: 'owner',
      expires_at: null,
    });
    await bootstrapTeam(pool, 'another-token-of-the-operator');
    expect(await callerOf(pool, ADMIN)).toBeUndefined();
    expect(await callerOf(pool, 'another-token-of-the-operator')).toMatchObject({ role: 'owner' });
    expect(await bootstrapTeam(pool, undefined)).toBeUndefined();
    expect(await callerOf(pool, 'another-token-of-the-operator')).toBeUndefined();
    expect(await callerOf(pool, secret)).toMatchObject({ role: 'owner' });
    expect(await canOperatorComeIn(pool)).toBe(true);
    await pool.query('DELETE FROM token');
    expect(await canOperatorComeIn(pool)).toBe(false);
  });

  it('is an owner token, whatever became of the first owner', async () => {
    const pool = await fresh();
    await bootstrapTeam(pool, ADMIN);
    for (const change of [`role = 'viewer'`, 'removed_at = now()']) {
      await pool.query(`UPDATE users SET ${change}`);
      await bootstrapTeam(pool, ADMIN);
      expect(await callerOf(pool, ADMIN)).toMatchObject({ role: 'owner' });
    }
    expect((await pool.query('SELECT 1 FROM token')).rowCount).toBe(1);
  });

  it('does not change a generated one', async () => {
    const pool = await fresh();
    const generated = (await bootstrapTeam(pool, undefined))!;
    await bootstrapTeam(pool, ADMIN);
    await bootstrapTeam(pool, 'another-token-of-the-operator');
    expect(await callerOf(pool, generated)).toMatchObject({ role: 'owner' });
  });

  it('replaces the generated one at a first start, and is not logged', async () => {
    const pool = await fresh();
    expect(await bootstrapTeam(pool, ADMIN)).toBeUndefined();
    expect((await pool.query('SELECT 1 FROM token')).rowCount).toBe(1);
  });
});
