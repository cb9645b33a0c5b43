import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { checkout } from './installation.js';
import { readLogin } from './saved-login.js';

interface Connection {
  server: string;
  token: string;
}
/** A connection, and where its token was found. */
export interface FoundConnection extends Connection {
  from: string;
}

/**
 * The server and token from the options, the environment, an earlier login, or the local `npm start`, in this order.
 */
export function connection(options: Partial<Connection>): FoundConnection {
  const server = options.server ?? process.env.TOOLMARK_SERVER;
  const { token, from } = givenToken(options) ?? {};
  if (server && token && from) return { server: checkedUrl(server), token, from };
  const { login: saved, file } = readLogin() ?? {};
  if (saved && file && (!server || isSameServer(server, saved.server)))
    return { server: saved.server, token: token ?? saved.token, from: from ?? file };
  const local = localServer();
  if (server && !(local && isSameServer(server, local.server)))
    throw new Error(`No token for ${server}: give --token, set TOOLMARK_TOKEN, or log in with toolmark login.`);
  const localToken = token ?? local?.token;
  if (local && localToken) return { server: local.server, token: localToken, from: from ?? 'npm start' };
  if (local)
    throw new Error(
      `No token for ${local.server}: npm start got it from TOOLMARK_ADMIN_TOKEN. Set it here ` +
        'too, or give --token.',
    );
  throw new Error('No server: start one with npm start, or log in with toolmark login --server URL.');
}

/** Variables whose token goes before a saved login. */
export const TOKEN_VARIABLES = ['TOOLMARK_TOKEN', 'TOOLMARK_ADMIN_TOKEN'] as const;

function givenToken(options: Partial<Connection>): { token: string; from: string } | undefined {
  if (options.token) return { token: options.token, from: '--token' };
  const from = TOKEN_VARIABLES.find((name) => process.env[name]);
  return from && { token: process.env[from]!, from };
}

/** The server that a login is for when no option names one: the one of the login before, or of `npm start`. */
export const serverToLogIn = (given = process.env.TOOLMARK_SERVER): string | undefined =>
  given || (readLogin()?.login.server ?? localServer()?.server);

const isSameServer = (one: string, other: string): boolean =>
  new URL(checkedUrl(one)).host === new URL(checkedUrl(other)).host;

export function checkedUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error(`"${text}" is not the URL of a server. Give one such as http://127.0.0.1:8501`);
}

/** The server of this checkout's current or last `npm start`, with the token that it generated or found in `.env`. */
function localServer(): { server: string; token: string | undefined } | undefined {
  if (checkout === undefined) return undefined;
  const textOf = (file: string): string | undefined =>
    existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  const env = { ...parseEnv(textOf(join(checkout, '.env')) ?? ''), ...process.env };
  const folder = resolve(checkout, env.TOOLMARK_DATA_DIR || '.toolmark');
  const [token, running] = ['admin-token', 'running.json'].map((name) => textOf(join(folder, name)));
  if (!token && !running) return undefined;
  const { url } = JSON.parse(running ?? '{}') as { url?: string };
  return { server: url ?? `http://127.0.0.1:${env.PORT ?? 8501}`, token: env.TOOLMARK_ADMIN_TOKEN || token };
}
