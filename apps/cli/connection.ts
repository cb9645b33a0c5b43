import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiClient } from '#lib/client/api-client';

interface Connection {
  server: string;
  token: string;
}

const remembered = join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'toolmark', 'login.json');

/** Checks a server and token, and remembers them where only this user can read. */
export async function login({ server, token }: Partial<Connection>): Promise<void> {
  if (!server || !token) throw new Error('Give both: toolmark login --server URL --token TOKEN');
  const me = await new ApiClient(server, token).call<{ team: { name: string }; user: { name: string }; role: string }>('GET', '/api/me');
  mkdirSync(dirname(remembered), { recursive: true, mode: 0o700 });
  writeFileSync(remembered, JSON.stringify({ server, token }), { mode: 0o600 });
  console.log(`Logged in to ${server} as ${me.user.name} of team ${me.team.name} (${me.role}).`);
}

/** From the options, the environment, an earlier login, or the local `npm start`, in this order. */
export function connection(options: Partial<Connection>): Connection {
  const server = options.server ?? process.env.TOOLMARK_SERVER;
  const token = options.token ?? process.env.TOOLMARK_TOKEN ?? process.env.TOOLMARK_ADMIN_TOKEN;
  if (server && token) return { server, token };
  if (!server && existsSync(remembered)) return { ...(JSON.parse(readFileSync(remembered, 'utf8')) as Connection), ...(token && { token }) };
  const local = localToken();
  if (token ?? local) return { server: server ?? `http://127.0.0.1:${process.env.PORT ?? 8501}`, token: (token ?? local)! };
  throw new Error('No server to talk to: start one with npm start, or give --server and --token (toolmark login remembers them).');
}

/** The token that `npm start` made for the server of this checkout. */
function localToken(): string | undefined {
  const root = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? '../../..' : '../..', import.meta.url));
  const file = join(process.env.TOOLMARK_DATA_DIR ?? join(root, '.toolmark'), 'admin-token');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
