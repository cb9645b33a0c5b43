import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { checkout } from './installation.js';

interface Connection {
  server: string;
  token: string;
}

const fileOfLogin = (): string =>
  join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'toolmark', 'login.json');

/** Stores a server and a token in a file that only this user can read. */
export function rememberConnection(connection: Connection): void {
  const file = fileOfLogin();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
}

/**
 * The server and token from the options, the environment, an earlier login, or the local `npm start`, in this order.
 */
export function connection(options: Partial<Connection>): Connection {
  const server = options.server ?? process.env.TOOLMARK_SERVER;
  const token = options.token ?? process.env.TOOLMARK_TOKEN ?? process.env.TOOLMARK_ADMIN_TOKEN;
  if (server && token) return { server: checkedUrl(server), token };
  const remembered = fileOfLogin();
  if (!server && existsSync(remembered))
    return { ...(JSON.parse(readFileSync(remembered, 'utf8')) as Connection), ...(token && { token }) };
  const local = localServer();
  if (server && (!local || new URL(checkedUrl(server)).host !== new URL(local.server).host))
    throw new Error(`No token for ${server}: give --token, or set TOOLMARK_TOKEN.`);
  const localToken = token ?? local?.token;
  if (local && localToken) return { server: local.server, token: localToken };
  if (local)
    throw new Error(
      `No token for ${local.server}: npm start got it from TOOLMARK_ADMIN_TOKEN. Set it here ` +
        'too, or give --token.',
    );
  throw new Error('No server: start one with npm start, or give --server and --token (toolmark login saves them).');
}

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
