// Shared by the deployments of all benchmarks: the processes' environment, and requests to the API.
import { execFileSync } from 'node:child_process';
import { root } from '../scripts/set-up.mjs';

export const TOKEN = 'a-token-for-benchmarks-0123456789';

/** The environment of API and worker, with the given Redis and database on a Postgres server. */
export const productEnv = ({ postgresUrl, database, redisUrl, logLevel }) => ({
  DATABASE_URL: Object.assign(new URL(postgresUrl), { pathname: `/${database}` }).href,
  REDIS_URL: redisUrl,
  TOOLMARK_ADMIN_TOKEN: TOKEN,
  TOOLMARK_SEALING_KEY: 'ab'.repeat(32),
  TOOLMARK_ALLOWED_NETWORKS: '0.0.0.0/0, ::/0',
  // One machine is many callers here.
  TOOLMARK_REQUESTS_PER_MINUTE: '10000000',
  TOOLMARK_USER_REQUESTS_PER_MINUTE: '10000000',
  TOOLMARK_OPEN_REQUESTS_PER_MINUTE: '10000000',
  TOOLMARK_SOCKETS_PER_TOKEN: '100000',
  LOG_LEVEL: logLevel,
});

/** Creates the database and its tables, as this build knows them. */
export const migrate = (env, build = root) =>
  execFileSync('npm', ['run', '--silent', 'db:migrate'], {
    cwd: build,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** @returns a function that sends a request to the API at `url()` and returns the body; a refusal throws */
export const apiCaller =
  (url) =>
  async (method, path, body, token = TOKEN) => {
    const response = await fetch(url() + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const place = method === 'GET' && response.status === 202 && response.headers.get('location');
    if (place) return apiCaller(url)(method, place, undefined, token);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };

/** Rejects on the first SIGINT or SIGTERM, so that a `finally` block can stop what was started. */
export const interruption = () =>
  new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error('Interrupted.')));
  });
