import { randomBytes } from 'node:crypto';
import { UnsealError, type Sealer } from '#lib/runtime/seal';
import { NotReadyYet } from '#lib/runtime/wait-for-dependencies';
import type { Pool } from '../connection/pool.js';
import { followSealingKey } from './chosen-sealing-key.js';

const NAME = 'fingerprint-key';

/** What a secret of the installation is sealed with. */
export const instanceSecretContext = (name: string): string => `instance secret ${name}`;

/**
 * Lets a sealer make fingerprints. Their key is the installation's own, so they stay the same when the sealing key
 * changes; the first API makes it.
 * @throws NotReadyYet when no sealing key opens it
 */
export async function loadFingerprintKey(pool: Pool, sealer: Sealer): Promise<void> {
  const sealed = (await readSealed(pool)) ?? (await makeKey(pool, sealer));
  sealer.useFingerprintKey(open(sealed, sealer));
  await followSealingKey(pool, sealer);
}

/**
 * Keeps a process with other sealing keys than the rest of the installation from working: it would settle items as
 * errored that others can ask.
 * @throws NotReadyYet when no sealing key opens what the installation has sealed
 */
export async function checkSealingKeys(pool: Pool, sealer: Sealer): Promise<void> {
  const sealed = await readSealed(pool);
  if (sealed !== undefined) open(sealed, sealer);
  await followSealingKey(pool, sealer);
}

async function readSealed(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ sealed: string }>('SELECT sealed FROM instance_secret WHERE name = $1', [NAME]);
  return rows[0]?.sealed;
}

function open(sealed: string, sealer: Sealer): string {
  try {
    return sealer.open(sealed, instanceSecretContext(NAME));
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new NotReadyYet(
      `no sealing key of this process opens the secret of the installation: ${error.why}. Add that key at the end ` +
        'of TOOLMARK_SEALING_KEYS; if it is lost, see docs/operations.md, A lost sealing key',
    );
  }
}

/** Of APIs that start at once, one makes it. */
async function makeKey(pool: Pool, sealer: Sealer): Promise<string> {
  const key = (await keyOfLanes(pool, sealer)) ?? randomBytes(32).toString('hex');
  await pool.query('INSERT INTO instance_secret (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    NAME,
    sealer.seal(key, instanceSecretContext(NAME)),
  ]);
  return (await readSealed(pool))!;
}

/** The release before made the fingerprints of lanes with its sealing key. Undefined: there are no lanes. */
async function keyOfLanes(pool: Pool, sealer: Sealer): Promise<string | undefined> {
  const { rows } = await pool.query<{ fingerprint: string; id: string; base_url: string; sealed_key: string | null }>(
    `SELECT l.fingerprint, p.id, p.base_url, p.sealed_key FROM lane l LEFT JOIN provider p ON p.lane_id = l.id
     ORDER BY p.id DESC NULLS LAST LIMIT 50`,
  );
  for (const { fingerprint, id, base_url: baseUrl, sealed_key: sealedKey } of rows) {
    const apiKey = id && openIfPossible(sealedKey, id, sealer);
    const key = apiKey && sealer.keyOfFingerprint(fingerprint, 'credential', new URL(baseUrl).origin, apiKey.text);
    if (key) return key;
  }
  return rows[0] && sealer.lastKey;
}

function openIfPossible(sealed: string | null, context: string, sealer: Sealer): { text: string } | undefined {
  try {
    return { text: sealed === null ? '' : sealer.open(sealed, context) };
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}
