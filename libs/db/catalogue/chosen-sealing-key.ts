import type { Sealer } from '#lib/runtime/seal';
import type { Pool } from '../connection/pool.js';

/**
 * Lets a sealer seal with the key that the whole installation seals with: the first one of the newest ring. A key is
 * chosen once, by the first process that has it in front, so a process that still has the ring of before changes
 * nothing. A single key, whose `v1` the release before opens, is chosen while no ring is.
 * @returns whether the sealer has that key
 */
export async function followSealingKey(pool: Pool, sealer: Sealer): Promise<boolean> {
  const { ownPrefix } = sealer;
  await pool.query(
    `INSERT INTO sealing_key (prefix)
     SELECT $1 WHERE ($2 OR NOT EXISTS (SELECT FROM sealing_key))
       AND NOT EXISTS (SELECT FROM sealing_key WHERE prefix = $1)
     ON CONFLICT DO NOTHING`,
    [ownPrefix, ownPrefix !== 'v1.'],
  );
  const { rows } = await pool.query<{ prefix: string }>('SELECT prefix FROM sealing_key ORDER BY ordinal DESC LIMIT 1');
  return sealer.sealAs(rows[0]?.prefix ?? ownPrefix);
}
