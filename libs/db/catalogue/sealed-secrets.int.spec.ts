import { newId } from '#lib/runtime/ids';
import { newSessionSecret, Sealer, sha256 } from '#lib/runtime/seal';
import { NotReadyYet } from '#lib/runtime/wait-for-dependencies';
import { someoneWaits } from '../../../test/lock-wait.js';
import { createDatabase } from '../../../test/services.js';
import { insertRow } from '../connection/insert-row.js';
import { createPool, inTransaction, type Pool } from '../connection/pool.js';
import { dyingPool } from '../testing/dying-pool.js';
import { createTeam } from '../testing/run-fixture.js';
import { checkSealingKeys, instanceSecretContext, loadFingerprintKey } from './fingerprint-key.js';
import { countSealed, resealSecrets } from './sealed-secrets.js';
import { refreshTokenContext } from './sign-in-sessions.js';

const [OLD, NEW, OTHER] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
const [old, both, onlyNew] = [new Sealer([OLD, NEW]), new Sealer([NEW, OLD]), new Sealer([NEW])];
const before = Sealer.of({ TOOLMARK_SEALING_KEY: OLD });
const PERSON = { issuer: 'https://id.example', subject: 'ada' };

let pool: Pool;
let providerId: string;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 5)));
afterAll(() => pool.end());
beforeEach(async () => {
  await pool.query('DELETE FROM provider; DELETE FROM lane; DELETE FROM session; DELETE FROM instance_secret');
  await forgetChoice();
  await pool.query('DELETE FROM person');
  const { userId } = await createTeam(pool);
  ({ id: providerId } = (await pool.query('SELECT id FROM provider')).rows[0]);
  await pool.query(`UPDATE provider SET sealed_key = $1, sealed_headers = $2, sealed_client_certificate = $3`, [
    before.seal('sk-1', providerId),
    old.seal('{}', `${providerId} headers`),
    old.seal('[]', `${providerId} certificate`),
  ]);
  const personId = newId();
  await insertRow(pool, 'person', { id: personId, ...PERSON, name: 'Ada' });
  await insertRow(pool, 'session', {
    hash: sha256(newSessionSecret()),
    user_id: userId,
    role: 'viewer',
    expires_at: new Date(Date.now() + 3600_000),
    idle_hours: 1,
    person_id: personId,
    refresh_token: before.seal('refresh', refreshTokenContext(PERSON)),
  });
  await insertRow(pool, 'instance_secret', { name: 'a', sealed: old.seal('own', instanceSecretContext('a')) });
});

/** As an operator does who goes back to a key of before. */
const forgetChoice = () => pool.query('DELETE FROM sealing_key');
const provider = async () => (await pool.query('SELECT * FROM provider')).rows[0];
const left = async (sealer: Sealer): Promise<number> =>
  (await countSealed(pool, sealer)).reduce((sum, { secrets, isLeft }) => sum + (isLeft ? secrets : 0), 0);
/** What the tables hold, opened with the new key alone. */
async function opened(): Promise<string[]> {
  const { sealed_key, sealed_headers, sealed_client_certificate } = await provider();
  const [session, own] = [
    (await pool.query('SELECT refresh_token FROM session')).rows[0],
    (await pool.query('SELECT sealed FROM instance_secret')).rows[0],
  ];
  return [
    onlyNew.open(sealed_key, providerId),
    onlyNew.open(sealed_headers, `${providerId} headers`),
    onlyNew.open(sealed_client_certificate, `${providerId} certificate`),
    onlyNew.open(session.refresh_token, refreshTokenContext(PERSON)),
    onlyNew.open(own.sealed, instanceSecretContext('a')),
  ];
}
const SECRETS = ['sk-1', '{}', '[]', 'refresh', 'own'];

it('seals every secret with the first key of the ring, and nothing else of its row changes', async () => {
  const { sealed_key, sealed_headers, sealed_client_certificate, resealed_at, ...was } = await provider();
  expect([sealed_key, sealed_headers, sealed_client_certificate, resealed_at].includes(undefined)).toBe(false);
  expect(await countSealed(pool, both)).toEqual([
    { place: 'installation', keyId: both.keyIds[1], secrets: 1, isLeft: true },
    { place: 'providers', keyId: null, secrets: 1, isLeft: true },
    { place: 'providers', keyId: both.keyIds[1], secrets: 2, isLeft: true },
    { place: 'sessions', keyId: null, secrets: 1, isLeft: true },
  ]);
  expect(await resealSecrets(pool, both)).toEqual({ resealed: 3, unreadable: 0, why: undefined });
  expect(await opened()).toEqual(SECRETS);
  expect(await provider()).toMatchObject({ ...was, access_version: 2 });
  expect(await left(both)).toBe(0);
  expect(await resealSecrets(pool, both)).toMatchObject({ resealed: 0 });
  // In the same millisecond as well, and back to what the release before opens.
  await forgetChoice();
  await Promise.all([resealSecrets(pool, old), resealSecrets(pool, both)]);
  await resealSecrets(pool, both);
  await forgetChoice();
  expect(await resealSecrets(pool, before)).toMatchObject({ unreadable: 3 });
  await forgetChoice();
  await resealSecrets(pool, old);
  await forgetChoice();
  expect(await resealSecrets(pool, before)).toEqual({ resealed: 3, unreadable: 0, why: undefined });
  expect((await provider()).sealed_key).toMatch(/^v1\./);
  expect((await provider()).access_version).toBe(2);
});

it('a process with the keys of before seals as all others do, whenever it started, and undoes nothing', async () => {
  await resealSecrets(pool, old);
  await resealSecrets(pool, both);
  const [running, single, lacksNew] = [[OLD, NEW], [NEW], [OLD]].map((keys) => new Sealer(keys)) as [
    Sealer,
    Sealer,
    Sealer,
  ];
  const alone = Sealer.of({ TOOLMARK_SEALING_KEY: NEW });
  for (const sealer of [running, single, lacksNew, alone]) {
    expect(await resealSecrets(pool, sealer)).toEqual({ resealed: 0, unreadable: 0, why: undefined });
    expect(await left(both)).toBe(0);
  }
  for (const sealer of [running, alone]) expect(onlyNew.open(sealer.seal('sk', 'a'), 'a')).toBe('sk');
  expect(lacksNew.seal('sk', 'a')).toMatch(old.prefix);
  // A key that is new to the installation is the next one.
  await resealSecrets(pool, new Sealer([OTHER, NEW]));
  expect(await left(new Sealer([OTHER]))).toBe(0);
});

it('a key that is entered at that moment stays, and counts as another one', async () => {
  let resealing: Promise<unknown> | undefined;
  await inTransaction(pool, async (client) => {
    await client.query('UPDATE provider SET sealed_key = $1', [old.seal('sk-2', providerId)]);
    resealing = resealSecrets(pool, both);
    await someoneWaits(pool);
  });
  expect(await resealing).toMatchObject({ resealed: 2 });
  expect(await provider()).toMatchObject({ access_version: 3, resealed_at: null });
  await resealSecrets(pool, both);
  expect(await opened()).toEqual(['sk-2', ...SECRETS.slice(1)]);
  expect((await provider()).access_version).toBe(3);
});

it('a worker that dies after any statement, and two at once, leave nothing half done', async () => {
  for (let n = 1, died = true; died; n++) {
    const process = dyingPool(pool, n);
    await resealSecrets(process.pool, both).catch(() => {});
    died = process.died();
    await Promise.all([resealSecrets(pool, both), resealSecrets(pool, both)]);
    expect(await opened()).toEqual(SECRETS);
    expect((await provider()).access_version).toBe(2);
    await forgetChoice();
    await resealSecrets(pool, old);
    await forgetChoice();
    expect(n).toBeLessThan(14);
  }
});

it('what no key of the ring opens is told, stays unchanged, and holds up nothing else', async () => {
  const { sealed_key: lost } = await provider();
  const wrong = new Sealer([NEW, OTHER]);
  await pool.query('UPDATE provider SET sealed_headers = $1', [wrong.seal('{}', `${providerId} headers`)]);
  await pool.query('UPDATE session SET refresh_token = $1', [wrong.seal('refresh', refreshTokenContext(PERSON))]);
  expect(await resealSecrets(pool, wrong)).toEqual({
    resealed: 0,
    unreadable: 2,
    why:
      `it was sealed with the key ${old.keyIds[0]}, which TOOLMARK_SEALING_KEYS does not have ` +
      `(it has ${wrong.keyIds.join(', ')})`,
  });
  expect((await provider()).sealed_key).toBe(lost);
  await resealSecrets(pool, both);
  expect(await opened()).toEqual(SECRETS);
});

describe('the key of fingerprints', () => {
  const madeWith = (key: string) => new Sealer([key], { fingerprintKey: key });
  const load = async (...keys: string[]): Promise<Sealer> => {
    const sealer = new Sealer(keys);
    await loadFingerprintKey(pool, sealer);
    return sealer;
  };

  it('is the sealing key that made those of lanes, wherever it is in the ring, and outlives it', async () => {
    const parts = ['credential', 'http://127.0.0.1:1', 'sk-1'];
    await pool.query('UPDATE lane SET fingerprint = $1', [madeWith(OLD).fingerprint(...parts)]);
    expect((await load(OLD, NEW)).fingerprint('x')).toBe(madeWith(OLD).fingerprint('x'));
    await resealSecrets(pool, both);
    expect((await load(NEW)).fingerprint('x')).toBe(madeWith(OLD).fingerprint('x'));
  });

  it('is the last key of the ring where no lane tells', async () => {
    expect((await load(NEW, OLD)).fingerprint('x')).toBe(madeWith(OLD).fingerprint('x'));
  });

  it('is random in a new installation, and the same for all that start at once', async () => {
    await pool.query('DELETE FROM provider; DELETE FROM lane');
    const made = await Promise.all([load(OLD), load(OLD), load(NEW, OLD)]);
    expect(new Set(made.map((sealer) => sealer.fingerprint('x'))).size).toBe(1);
    expect(made[0]!.fingerprint('x')).not.toBe(madeWith(OLD).fingerprint('x'));
  });

  it('keeps a process with other sealing keys from working, which says what it lacks', async () => {
    await checkSealingKeys(pool, new Sealer([OTHER])); // Nothing tells yet.
    await load(OLD);
    await checkSealingKeys(pool, both);
    for (const start of [checkSealingKeys, loadFingerprintKey]) {
      const started = start(pool, new Sealer([NEW, OTHER]));
      await expect(started).rejects.toThrow(NotReadyYet);
      await expect(started).rejects.toThrow(
        `it was sealed with the key ${old.keyIds[0]}, which TOOLMARK_SEALING_KEYS does not have`,
      );
    }
  });
});
