// Needs a cluster: scripts/test-kubernetes.mjs.
import { randomBytes } from 'node:crypto';
import { Namespace } from './cluster.js';
import { LOCAL_VALUES, Release, type Wanted } from './release.js';
import { seen } from './seen.js';

const say = seen();
let namespace: Namespace;
/** Has stores that others use. */
let local: Release;
let stores: { DATABASE_URL: string; REDIS_URL: string };
let count = 0;

beforeAll(async () => {
  namespace = await Namespace.create('toolmark-refusals');
  local = new Release(namespace, {
    files: ['local'],
    set: { ...LOCAL_VALUES, 'worker.replicas': 1, 'api.replicas': 1 },
  });
  await local.upgraded();
  const { data } = await namespace.get('secrets/toolmark-secrets');
  const valueOf = (key: string): string => Buffer.from(data[key], 'base64').toString();
  stores = { DATABASE_URL: valueOf('DATABASE_URL'), REDIS_URL: valueOf('REDIS_URL') };
  say('Stores are ready');
}, 480_000);

/** A release with stores of its own, as operators have; the chart migrates it before it installs anything. */
async function install(secret: Record<string, string> | undefined, wanted: Wanted = {}) {
  const name = `toolmark-${++count}`;
  const all = { ...stores, TOOLMARK_SEALING_KEY: randomBytes(32).toString('hex'), ...secret };
  if (secret) await namespace.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: all });
  const release = new Release(namespace, {}, name);
  const small = { 'api.replicas': 1, 'worker.replicas': 1, 'api.cpuRequest': '50m', 'worker.cpuRequest': '50m' };
  const set = { existingSecret: name, 'migrate.retries': 0, ...small, ...wanted.set };
  const { status, output } = await release.upgrade({ timeout: '60s', ...wanted, set });
  const log = await namespace.try('logs', `--selector=app.kubernetes.io/instance=${name}`, '--tail=-1');
  await release.helm('uninstall', name, '--wait');
  return { status, output, log: log.output };
}

it.each<[string, Record<string, string> | undefined, RegExp]>([
  ['is missing', undefined, /existingSecret toolmark-\d+ is not in namespace toolmark-refusals. Make it/],
  ['lacks a key', { REDIS_URL: '' }, /Secret toolmark-\d+ has no REDIS_URL, which must be a URL such as redis:/],
  [
    'has a malformed URL',
    { DATABASE_URL: 'mysql://toolmark@postgres/toolmark' },
    /DATABASE_URL in Secret toolmark-\d+ must be a URL such as postgresql:.*\s*Set it: kubectl patch secret/,
  ],
])(
  'a Secret that %s is refused before anything is installed, and helm says how to make it right',
  async (_, secret, says) => {
    const { status, output, log } = await install(secret);
    expect(output).toMatch(says);
    expect(status).toBe(1);
    expect(log).toContain('No resources found');
  },
);

it.each<[string, Record<string, string>, RegExp]>([
  ['has no URL of the database', { DATABASE_URL: '' }, /DATABASE_URL is (missing|required)|DATABASE_URL must be/],
  ['has a malformed URL of the database', { DATABASE_URL: 'postgres' }, /DATABASE_URL must be a URL such as postgres:/],
])(
  'with checkSecret off, a Secret that %s leads to a sentence in the log of the migration, which helm shows',
  async (_, secret, says) => {
    const { status, output, log } = await install(secret, { set: { checkSecret: false } });
    expect(log).toMatch(says);
    expect(output).toMatch(says);
    expect(status).toBe(1);
  },
);

it.each<[string, (url: URL) => unknown, RegExp]>([
  ['a host that does not exist', (url) => (url.hostname = 'nowhere.example.com'), /does not resolve/],
  ['a port where nothing listens', (url) => (url.port = '5431'), /nothing listens|does not answer/],
  ['a wrong password', (url) => (url.password = 'wrong'), /refuses the user or the password of DATABASE_URL/],
])('%s in DATABASE_URL leads to a sentence in the log of the migration, which helm shows', async (_, change, says) => {
  const url = new URL(stores.DATABASE_URL);
  change(url);
  const { status, output, log } = await install({ DATABASE_URL: url.href });
  expect(log).toMatch(says);
  expect(output).toMatch(says);
  expect(status).toBe(1);
});

it.each<[string, (url: URL) => unknown, RegExp]>([
  ['a wrong password', (url) => (url.password = 'wrong'), /refuses the user or the password of DATABASE_URL/],
  ['a database that nobody has migrated', (url) => (url.pathname = '/postgres'), /the database lacks \d+ migrations/],
])('with %s, an API and a worker wait unready and log why, and helm names them', async (_, change, says) => {
  const url = new URL(stores.DATABASE_URL);
  change(url);
  const { status, output, log } = await install({ DATABASE_URL: url.href }, { noHooks: true, timeout: '20s' });
  for (const component of ['api', 'worker']) {
    expect(output).toMatch(new RegExp(`Deployment/\\S*-${component} not ready`));
    const lines = log.split('\n').filter((line) => line.includes(`"name":"${component}"`));
    expect(lines.join('\n')).toMatch(says);
  }
  expect(status).toBe(1);
});

it.each<[string, Record<string, string | number>, RegExp]>([
  [
    'worker.heapMiB',
    { 'worker.heapMiB': 1400 },
    /worker.memoryLimitMiB 1536 does not hold a heap of worker.heapMiB 1400/,
  ],
  [
    'postgres.maxConnections',
    { 'postgres.maxConnections': 20 },
    /postgres.maxConnections 20 is not enough: .* make \d+/,
  ],
  ['a name that is unknown', { 'worker.replica': 3 }, /'replica' not allowed|additional properties/i],
])('wrong values are refused with a sentence: %s', async (_, set, says) => {
  const { status, output } = await install({}, { set });
  expect(output).toMatch(says);
  expect(status).toBe(1);
});

it('an image that is too old for the database does not migrate it, and helm says the way out', async () => {
  const sql = (statement: string) =>
    namespace.kubectl('exec', 'deploy/toolmark-postgres', '--', 'psql', '-U', 'toolmark', '-c', statement);
  const oldest = (migration: string): string =>
    `CREATE OR REPLACE FUNCTION oldest_migration() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '${migration}' $$`;
  const { stdout: before } = await namespace.try(
    ...['exec', 'deploy/toolmark-postgres', '--', 'psql', '-U', 'toolmark', '-Atc', 'SELECT oldest_migration()'],
  );
  // As the second next release would leave it.
  await sql(oldest('29991231000000_later'));
  const { status, output, log } = await install({});
  await sql(oldest(before.trim()));
  const says = /this release is too old for the database: .* Run a newer image, or restore a backup/;
  expect(output).toMatch(says);
  expect(log).toMatch(says);
  expect(status).toBe(1);
});
