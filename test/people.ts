import { randomUUID } from 'node:crypto';
import { limitedHash } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { newId } from '#lib/runtime/ids';
import { newSessionSecret } from '#lib/runtime/seal';
import type { Answer } from './client.js';

/** A person in a browser, signed in at a provider that the test leaves out. */
export interface SignedIn {
  personId: string;
  cookie: string;
  /** Ids of the memberships, by team. */
  users: Record<string, string>;
  /** Calls the API as a tab of the page does. @param team that the tab shows */
  send(method: string, path: string, body?: unknown, team?: string): Promise<Answer>;
}

interface MembershipInput {
  teamId: string;
  role: string;
  givenBy?: 'owner' | 'rule';
}

/** Makes a person who signs in, with memberships, and a session. */
export async function signIn(
  { pool, url }: { pool: Pool; url: string },
  name: string,
  memberships: MembershipInput[],
): Promise<SignedIn> {
  const [personId, secret] = [newId(), newSessionSecret()];
  await pool.query('INSERT INTO person (id, name, issuer, subject, email) VALUES ($1, $2, $3, $4, $5)', [
    ...[personId, name, 'https://id.example', randomUUID(), `${name}@example.com`],
  ]);
  const users: Record<string, string> = {};
  for (const { teamId, role, givenBy = 'owner' } of memberships) {
    users[teamId] = newId();
    await pool.query(
      'INSERT INTO users (id, team_id, person_id, name, role, given_by) VALUES ($1, $2, $3, $4, $5, $6)',
      [users[teamId], teamId, personId, name, role, givenBy],
    );
  }
  await pool.query(
    `INSERT INTO session (id, hash, user_id, person_id, role, provider, expires_at)
     VALUES ($1, $2, $3, $4, 'viewer', 'company', now() + interval '1 day')`,
    [newId(), limitedHash(secret), users[memberships[0]!.teamId], personId],
  );
  const cookie = `toolmark_session=${secret}`;
  return {
    personId,
    cookie,
    users,
    send: (method, path, body, team) => sendAs({ url, cookie, team }, method, path, body),
  };
}

/** Calls the API as a page does, with the cookie of a session. */
export async function sendAs(
  { url, cookie, team }: { url: string; cookie: string; team?: string | undefined },
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      cookie,
      'sec-fetch-site': 'same-origin',
      'user-agent': FIREFOX,
      ...(team !== undefined && { 'toolmark-team': team }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : text, headers: response.headers };
}
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

/** Signs in with a token. @returns the cookie */
export async function cookieOfToken(url: string, token: string): Promise<string> {
  const answer = await sendAs({ url, cookie: '' }, 'POST', '/api/session', { token });
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}
