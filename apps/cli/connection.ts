import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { ApiClient } from '#lib/client/api-client';
import { say } from './terminal.js';

interface Connection {
  server: string;
  token: string;
}

const remembered = join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'toolmark', 'login.json');

/** Checks a server and token, and remembers them where only this user can read. */
export async function login({ server, token }: Partial<Connection>): Promise<void> {
  if (!server || !token) throw new Error('Give both: toolmark login --server URL --token TOKEN');
  const me = await new ApiClient(checkedUrl(server), token).call<{
    team: { name: string };
    user: { name: string };
    role: string;
  }>('GET', '/api/me');
  mkdirSync(dirname(remembered), { recursive: true, mode: 0o700 });
  writeFileSync(remembered, JSON.stringify({ server, token }), { mode: 0o600 });
  say(`Logged in to ${server} as ${me.user.name} of team ${me.team.name} (${me.role}).`);
}

/** From the options, the environment, an earlier login, or the local `npm start`, in this order. */
export function connection(options: Partial<Connection>): Connection {
  const server = options.server ?? process.env.TOOLMARK_SERVER;
  const token = options.token ?? process.env.TOOLMARK_TOKEN ?? process.env.TOOLMARK_ADMIN_TOKEN;
  if (server && token) return { server: checkedUrl(server), token };
  if (!server && existsSync(remembered))
    return { ...(JSON.parse(readFileSync(remembered, 'utf8')) as Connection), ...(token && { token }) };
  const local = localServer();
  if (server && (!local || new URL(checkedUrl(server)).host !== new URL(local.server).host))
    throw new Error(`No token for ${server}: give --token, or set TOOLMARK_TOKEN.`);
  const localToken = token ?? local?.token;
  if (local && localToken) return { server: local.server, token: localToken };
  if (local)
    throw new Error(
      `No token for ${local.server}: npm start was given one in TOOLMARK_ADMIN_TOKEN. Set it here ` +
        'too, or give --token.',
    );
  throw new Error(
    'No server to talk to: start one with npm start, or give --server and --token (toolmark login remembers them).',
  );
}

function checkedUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error(`"${text}" is no server's URL. Give one such as http://127.0.0.1:8501`);
}

/**
 * The server that `npm start` runs from this checkout, or ran last, and the token that it made or found in `.env`,
 * as npm start does.
 */
function localServer(): { server: string; token: string | undefined } | undefined {
  const root = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? '../../..' : '../..', import.meta.url));
  const textOf = (file: string): string | undefined =>
    existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  const env = { ...parseEnv(textOf(join(root, '.env')) ?? ''), ...process.env };
  const folder = resolve(root, env.TOOLMARK_DATA_DIR || '.toolmark');
  const [token, running] = ['admin-token', 'running.json'].map((name) => textOf(join(folder, name)));
  if (!token && !running) return undefined;
  const { url } = JSON.parse(running ?? '{}') as { url?: string };
  return { server: url ?? `http://127.0.0.1:${env.PORT ?? 8501}`, token: env.TOOLMARK_ADMIN_TOKEN || token };
}
