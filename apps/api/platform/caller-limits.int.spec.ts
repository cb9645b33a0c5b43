// Needs APIs of its own: with limits that a test reaches, behind a proxy, and without Redis.
import { io, type Socket } from 'socket.io-client';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { clientOf, weatherSuite } from '../../../test/client.js';
import { ADMIN_TOKEN } from '../../../test/processes.js';
import { watchCommands } from '../../../test/services.js';
import { until } from '../../../test/until.js';

const FAILURES = 5;
const OPEN = 20;
const LIMITS = {
  TOOLMARK_FAILED_SIGN_INS_PER_MINUTE: String(FAILURES),
  TOOLMARK_OPEN_REQUESTS_PER_MINUTE: String(OPEN),
};
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

let api: ApiInProcess;
/** Trusts no proxy, and has no Redis. */
let alone: ApiInProcess;
beforeAll(async () => {
  [api, alone] = await Promise.all([
    startApi({
      ...LIMITS,
      TOOLMARK_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8, fd00::/8',
      TOOLMARK_PUBLIC_URL: 'https://toolmark.example',
      TOOLMARK_SOCKETS_PER_TOKEN: '3',
      TOOLMARK_SUBSCRIPTIONS_PER_SOCKET: '2',
    }),
    startApi({ ...LIMITS, REDIS_URL: 'redis://127.0.0.1:1' }),
  ]);
}, 60_000);
afterAll(() => Promise.all([api.close(), alone.close()]));

type Headers = Record<string, string>;
const ask = async (of: ApiInProcess, path: string, headers: Headers, body?: object) => {
  const response = await fetch(of.url + path, {
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const from = (address: string) => ({ 'x-forwarded-for': address });
const statusesOf = (answers: { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));
const times = <Made>(count: number, make: (n: number) => Made): Made[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Counts the statements that look for callers while `work` runs. */
async function lookUps(of: ApiInProcess, work: () => Promise<unknown>): Promise<number> {
  const query = of.pool.query.bind(of.pool) as (...args: any[]) => any;
  let count = 0;
  (of.pool as any).query = (...args: any[]) => {
    if (/token k|session s/.test(args[0]?.text ?? args[0])) count++;
    return query(...args);
  };
  try {
    await work();
  } finally {
    delete (of.pool as any).query;
  }
  return count;
}

it.each([
  ['Redis', () => api],
  ['an API without Redis', () => alone],
])('who guesses tokens is refused, and the team behind the same proxy is not: counted by %s', async (what, which) => {
  const of = which();
  const team = (await of.client.post('/api/teams', { name: `behind ${what}` })).body;
  const [guesser, other] = [from('203.0.113.9'), { ...from('203.0.113.9'), ...bearer(team.token.token) }];
  const commands: string[] = [];
  const watching = of === api ? await watchCommands(api.env.REDIS_URL) : undefined;
  watching?.on('monitor', (_time, [name]: string[]) => void commands.push(name!.toLowerCase()));
  let guesses: any[] = [];
  let reads: any[] = [];
  const asked = await lookUps(of, async () => {
    // One by one until the limit, so that the addresses of those after it are known.
    for (let n = 0; n <= FAILURES; n++) guesses.push(await ask(of, '/api/me', { ...guesser, ...bearer(`guess-${n}`) }));
    guesses.push(
      ...(await Promise.all(
        times(40, (n) =>
          n % 2
            ? ask(of, '/api/me', { ...guesser, ...bearer(`another-${n}`) })
            : ask(of, '/api/session', { ...guesser, ...OWN_PAGE }, { token: `another ${n}` }),
        ),
      )),
    );
    reads = await Promise.all([
      ...times(10, () => ask(of, '/api/me', other)),
      ask(of, '/api/suites/none', { ...other }).then((answer) => ({ ...answer, status: answer.status === 404 && 200 })),
      ask(of, '/api/session', { ...from('203.0.113.9'), ...OWN_PAGE }, { token: team.token.token }),
    ]);
  });
  expect(statusesOf(guesses)).toEqual({ 401: FAILURES, 429: 41 });
  expect(statusesOf(reads)).toEqual({ 200: 12 });
  expect(asked).toBeLessThan(60);
  const { headers, body } = guesses.at(-1);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(body).toMatchObject({ code: 'rate_limited', params: { limit: 'failed_sign_ins', per_minute: FAILURES } });
  watching?.disconnect();
  if (watching) expect(commands.filter((name) => name === 'incr').length).toBeLessThan(60);
  // Behind a proxy that is trusted, another address is another caller.
  const elsewhere = await ask(of, '/api/me', { ...from('203.0.113.10'), ...bearer('guess') });
  expect(elsewhere.status).toBe(of === api ? 401 : 429);
});
