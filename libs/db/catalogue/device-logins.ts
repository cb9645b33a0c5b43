import { randomInt } from 'node:crypto';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Role } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import { newDeviceCode, sha256 } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { audit } from './audit.js';
import { lowest, type Caller, type RequestFacts } from './callers.js';
import { auditedToken, TokenRepository } from './tokens.js';

/** How long a person has to approve a login. */
export const LOGIN_MS = 600_000;
/** What a command line waits between two questions. One that asks sooner learns nothing. */
export const INTERVAL_MS = 5000;
/** A request may take longer than the one after it. */
const EARLY_MS = 1000;
/** Everybody behind one proxy has its address. */
const MAX_OF_ADDRESS = 200;
const MAX_LOGINS = 10_000;
/** Without vowels, so that no code is a word. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LETTERS_OF_CODE = 8;

const newUserCode = (): string =>
  Array.from({ length: LETTERS_OF_CODE }, () => LETTERS[randomInt(LETTERS.length)]).join('');
/** A code as people read it: `BCDF-GHJK`. */
const readable = (code: string): string => `${code.slice(0, LETTERS_OF_CODE / 2)}-${code.slice(LETTERS_OF_CODE / 2)}`;
/** What somebody typed, without the signs that only make it readable. */
const typed = (text: string): string => text.replaceAll(/[\s-]/g, '').toUpperCase();

export interface NewLogin {
  deviceCode: string;
  userCode: string;
}

/** Begins a login. One too many of the same address ends its oldest. @throws ProblemError 429 */
export async function beginDeviceLogin(pool: Pool, name: string, address: string): Promise<NewLogin> {
  return inTransaction(pool, async (client) => {
    // Logins begin one after another, so that they can be counted.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('device login'))`);
    await client.query(
      `DELETE FROM device_login WHERE expires_at <= now() OR id IN (
         SELECT id FROM device_login WHERE address = $1 AND user_id IS NULL ORDER BY created_at DESC OFFSET $2)`,
      [address, MAX_OF_ADDRESS - 1],
    );
    const { rows } = await client.query<{ logins: number }>('SELECT count(*)::int AS logins FROM device_login');
    if (rows[0]!.logins >= MAX_LOGINS)
      throw new ProblemError(429, 'Too many logins wait to be approved. Try again in some minutes.', undefined, 60_000);
    for (;;) {
      const login = { deviceCode: newDeviceCode(), userCode: newUserCode() };
      const { rowCount } = await client.query(
        `INSERT INTO device_login (id, hash, user_code, name, address, expires_at)
         VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 ms') ON CONFLICT (user_code) DO NOTHING`,
        [newId(), sha256(login.deviceCode), login.userCode, name, address, LOGIN_MS],
      );
      if (rowCount === 1) return { ...login, userCode: readable(login.userCode) };
    }
  });
}

interface LoginRow {
  id: string;
  name: string;
  userId: string | null;
  role: Role | null;
  tokenId: string | null;
  /** The id of the token with which it was approved. */
  approvedWith: string | null;
  isRefused: boolean;
  isTooSoon: boolean;
}

/** The token of an approved login. */
interface LoginToken {
  token: string;
  team: string;
  user: string;
  role: Role;
  expires_at: string | null;
}
/** What a question about a login finds. */
export type LoginState = 'pending' | 'too-soon' | 'refused' | 'ended' | LoginToken;

/**
 * Asks about a login. The question that finds it approved makes the token, and its answer is the only one with the
 * secret: whoever asks again never got it, or somebody else did, so the token is deleted and the login has ended.
 */
export async function askDeviceLogin(
  pool: Pool,
  deviceCode: string,
  tokenDays: number,
  request: RequestFacts,
): Promise<LoginState> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<LoginRow>(
      `SELECT id, name, user_id AS "userId", role, token_id AS "tokenId", approved_with AS "approvedWith",
         refused_at IS NOT NULL AS "isRefused",
         coalesce(polled_at > now() - $2 * interval '1 ms', false) AS "isTooSoon"
       FROM device_login WHERE hash = $1 AND expires_at > now() FOR UPDATE`,
      [sha256(deviceCode), INTERVAL_MS - EARLY_MS],
    );
    const [login] = rows;
    if (!login) return 'ended';
    if (login.tokenId !== null) {
      await removeLogin(client, login.id);
      await deleteToken(client, login.tokenId, request);
      return 'ended';
    }
    if (login.isTooSoon) return 'too-soon';
    if (login.isRefused) {
      await removeLogin(client, login.id);
      return 'refused';
    }
    await client.query('UPDATE device_login SET polled_at = now() WHERE id = $1', [login.id]);
    return login.userId === null ? 'pending' : makeToken(client, login, tokenDays, request);
  });
}

const removeLogin = (client: PoolClient, id: string) => client.query('DELETE FROM device_login WHERE id = $1', [id]);

/** Its secret was asked for twice: whoever asked first may be somebody else. */
async function deleteToken(client: PoolClient, id: string, request: RequestFacts): Promise<void> {
  const { rows } = await client.query<{ teamId: string; userId: string; name: string; role: Role }>(
    'DELETE FROM token WHERE id = $1 RETURNING team_id AS "teamId", user_id AS "userId", name, role',
    [id],
  );
  for (const { name, role, ...owner } of rows)
    await audit(client, { ...owner, request }, 'token.delete', id, { before: { name, role }, cause: 'fetched twice' });
}

interface Approver {
  /** When the token expires with which the login was approved; null for never, or for no token. */
  latest: Date | null;
  teamId: string;
  team: string;
  userId: string;
  user: string;
  role: Role | null;
}

/**
 * Makes the token, with the role that its user has by now, and at the latest with the end of the token that approved
 * it. A user who has left gets none, nor does a login whose approving token has ended.
 */
async function makeToken(
  client: PoolClient,
  login: LoginRow,
  tokenDays: number,
  request: RequestFacts,
): Promise<LoginToken | 'ended'> {
  const { rows } = await client.query<Approver>(
    `SELECT t.id AS "teamId", t.name AS team, u.id AS "userId", u.name AS user, u.role, k.expires_at AS latest
     FROM users u JOIN team t ON t.id = u.team_id LEFT JOIN token k ON k.id = $2
     WHERE u.id = $1 AND u.removed_at IS NULL
       AND ($2::uuid IS NULL OR k.id IS NOT NULL AND (k.expires_at IS NULL OR k.expires_at > now()))
     FOR SHARE OF u`,
    [login.userId, login.approvedWith],
  );
  const [approver] = rows;
  if (!approver) {
    await removeLogin(client, login.id);
    return 'ended';
  }
  const role = lowest(login.role!, approver.role);
  const inDays = Date.now() + tokenDays * 86_400_000;
  const expiresAt = new Date(Math.min(inDays, approver.latest?.getTime() ?? inDays)).toISOString();
  const { token, secret } = await new TokenRepository(client, approver.teamId).createFor(approver.userId, {
    name: `toolmark login on ${login.name}`.slice(0, 100),
    role,
    expires_at: expiresAt,
    created_by: approver.userId,
  });
  await client.query('UPDATE device_login SET token_id = $2 WHERE id = $1', [login.id, token.id]);
  await audit(client, { ...approver, request }, 'token.create', token.id, { after: auditedToken(token) });
  return { token: secret, team: approver.team, user: approver.user, role, expires_at: token.expires_at };
}

export interface WaitingLogin {
  user_code: string;
  name: string;
  address: string | null;
  created_at: string;
  expires_at: string;
}

/** The login with a code, while it waits; undefined for a wrong code. */
export async function findDeviceLogin(pool: Pool, userCode: string): Promise<WaitingLogin | undefined> {
  const { rows } = await pool.query<{ name: string; address: string | null; beganAt: Date; endsAt: Date }>(
    `SELECT name, address, created_at AS "beganAt", expires_at AS "endsAt" FROM device_login
     WHERE user_code = $1 AND expires_at > now() AND user_id IS NULL AND refused_at IS NULL`,
    [typed(userCode)],
  );
  const [login] = rows;
  if (!login) return undefined;
  const { name, address, beganAt, endsAt } = login;
  const user_code = readable(typed(userCode));
  return { user_code, name, address, created_at: beganAt.toISOString(), expires_at: endsAt.toISOString() };
}

/**
 * Approves a login for the caller, with this role, or refuses it.
 * @returns whether there was one that nobody had decided
 */
export async function decideDeviceLogin(
  client: PoolClient,
  caller: Caller,
  userCode: string,
  role: Role | 'refused',
): Promise<boolean> {
  const isApproved = role !== 'refused';
  const { rows } = await client.query<{ id: string; name: string; address: string | null }>(
    `UPDATE device_login SET user_id = $2, role = $3, approved_with = $4,
       refused_at = CASE WHEN $2::uuid IS NULL THEN now() END
     WHERE user_code = $1 AND expires_at > now() AND user_id IS NULL AND refused_at IS NULL
     RETURNING id, name, address`,
    [typed(userCode), isApproved ? caller.userId : null, isApproved ? role : null, caller.tokenId],
  );
  const [login] = rows;
  if (!login) return false;
  const change = { after: { name: login.name, address: login.address, role: isApproved ? role : null } };
  await audit(client, caller, isApproved ? 'device_login.approve' : 'device_login.refuse', login.id, change);
  return true;
}

export async function removeEndedDeviceLogins(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM device_login WHERE id IN (
       SELECT id FROM device_login WHERE expires_at <= now() FOR UPDATE SKIP LOCKED)`,
  );
}
