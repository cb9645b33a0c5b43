import { createDatabase } from '../../../test/services.js';
import { createPool, type Pool } from '../connection/pool.js';
import { findCaller } from './callers.js';
import { bootstrapTeam } from './teams.js';
import { noteTokenUses } from './tokens.js';

const ADMIN = 'a-token-of-the-operator';
let pool: Pool;
let tokenId: string;
beforeAll(async () => {
  pool = createPool((await createDatabase()).url, 5);
  await bootstrapTeam(pool, ADMIN);
  tokenId = (await findCaller(pool, { kind: 'token', secret: ADMIN }))!.tokenId!;
});
afterAll(() => pool.end());

describe('the last use of a token', () => {
  const use = (address: string) => noteTokenUses(pool, [{ tokenId, address, agent: 'curl/8.5.0' }]);
  const last = async () =>
    (await pool.query('SELECT last_used_address AS address, last_used_at AS at FROM token WHERE id = $1', [tokenId]))
      .rows[0];

  it('is written once a minute, and waits for nobody who holds the token', async () => {
    const holder = await pool.connect();
    await holder.query('BEGIN; SELECT 1 FROM token FOR UPDATE');
    await use('10.0.0.1');
    expect((await last()).address).toBeNull();
    await holder.query('ROLLBACK');
    holder.release();
    await use('10.0.0.2');
    const first = await last();
    expect(first.address).toBe('10.0.0.2');
    await use('10.0.0.3');
    expect(await last()).toEqual(first);
    await pool.query(`UPDATE token SET last_used_at = now() - interval '61 s'`);
    await Promise.all(['10.0.0.4', '10.0.0.4'].map(use));
    expect((await last()).address).toBe('10.0.0.4');
  });
});
