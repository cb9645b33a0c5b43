import { z } from 'zod';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import { isHostPattern } from './host-list.js';
import { parseRedisUrl, REDIS_URL_FORMS } from './redis-url.js';

const flag = z
  .enum(['true', 'false', '1', '0', ''])
  .default('false')
  .transform((text) => text === 'true' || text === '1');
const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const url = (protocols: RegExp, example: string) =>
  z.url({ protocol: protocols, error: `must be a URL such as ${example}` });
const redisUrl = z.string(`must be a URL such as ${REDIS_URL_FORMS}`).superRefine((text, context) => {
  try {
    parseRedisUrl(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});
const hostList = (entry: z.ZodType<string, string>) =>
  z
    .string()
    .max(20_000)
    .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
    .pipe(z.array(entry).max(1000));
const proxy = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as http://proxy.example.com:3128; SOCKS is not supported' })
  .max(2000);
const HEX_KEY = 'must be 64 hexadecimal digits (openssl rand -hex 32)';
const sealingKey = z.string(HEX_KEY).regex(/^[0-9a-fA-F]{64}$/, HEX_KEY);

/** All settings of the API and the workers. `npm run docs` writes their descriptions into docs/operations.md. */
export const Env = z.object({
  DATABASE_URL: url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/toolmark').meta({
    readBy: 'API, worker, migrate',
    description:
      'PostgreSQL 15 or later. `npm start` and Compose bring their own; if it is set, `npm start` starts no Postgres.',
    example: 'postgresql://toolmark:password@localhost:5432/toolmark',
  }),
  REDIS_URL: redisUrl.meta({
    readBy: 'API, worker',
    description:
      'Redis 6.2 or later, or Valkey, with `maxmemory-policy noeviction`; also [by Sentinel or as a ' +
      'Cluster](#redis-by-sentinel-or-as-a-cluster). `npm start` and Compose bring their own; if it is set, ' +
      '`npm start` starts no Redis.',
    example: 'redis://localhost:6379',
  }),
  TOOLMARK_SEALING_KEY: sealingKey.optional().meta({
    readBy: 'API, worker',
    description:
      '64 hexadecimal digits (`openssl rand -hex 32`) that seal the keys of providers. Use the same value for all ' +
      'processes, and [rotate it](#rotating-the-sealing-key) to change it. `npm start` and Compose create one.',
  }),
  TOOLMARK_SEALING_KEYS: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(sealingKey).max(10))
    .optional()
    .meta({
      readBy: 'API, worker',
      unset: '`TOOLMARK_SEALING_KEY` alone',
      description:
        'Sealing keys, separated by commas, in place of `TOOLMARK_SEALING_KEY`. The first one seals, and all of them ' +
        'open; see [Rotating the sealing key](#rotating-the-sealing-key).',
    }),
  TOOLMARK_KEY_REFS_FILE: z
    .string()
    .max(4096)
    .optional()
    .meta({
      readBy: 'API, worker',
      unset: 'none',
      description:
        'A YAML file with the [keys that providers may name by reference](#keys-by-reference), and the teams that ' +
        'may use them. It and the files that it names are read again when they change.',
      example: '/etc/toolmark/key-refs.yaml',
    }),
  TOOLMARK_ADMIN_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .meta({
      readBy: 'API, command line',
      unset: 'created at the first start',
      description:
        "An owner's token of team `default`, 16 characters or more, valid after every start. A new value replaces " +
        'the old one at the next start of an API, and [one that you remove](#the-token-of-the-first-owner) ends it.',
    }),
  TOOLMARK_PUBLIC_URL: url(/^https?$/, 'https://toolmark.example.com')
    .refine((text) => !URL.canParse(text) || ['/', ''].includes(new URL(text).pathname + new URL(text).search), {
      error: 'must be a URL without a path, such as https://toolmark.example.com',
    })
    .transform((text) => new URL(text).origin)
    .optional()
    .meta({
      readBy: 'API',
      unset: 'none',
      description:
        'The address of the page in the browsers of your team. Providers of [sign-in](sign-in.md) send people back ' +
        'to it, and invitations and logins of the command line name it.',
      example: 'https://toolmark.example.com',
    }),
  TOOLMARK_SIGN_IN_FILE: z
    .string()
    .max(4096)
    .optional()
    .meta({
      readBy: 'API',
      unset: 'tokens only',
      description:
        'A YAML file with the OpenID Connect providers where people [sign in](sign-in.md). The API reads it once, ' +
        'and does not start if anything in it is wrong. Needs `TOOLMARK_PUBLIC_URL`.',
      example: '/etc/toolmark/sign-in.yaml',
    }),
  TOOLMARK_TOKEN_DAYS: integer(1, 3650).default(90).meta({
    readBy: 'API',
    description: 'Days after which a token expires if whoever creates it says nothing else, 1 to 3,650.',
  }),
  TOOLMARK_SESSION_IDLE_HOURS: integer(1, 720).default(12).meta({
    readBy: 'API',
    description: 'Hours without a request after which a session of the page ends, 1 to 720.',
  }),
  TOOLMARK_SESSION_DAYS: integer(1, 90).default(7).meta({
    readBy: 'API',
    description: 'Days after which a session of the page ends, however much it is used, 1 to 90.',
  }),
  TOOLMARK_TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(
      z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be networks such as 10.0.0.0/8')).max(100),
    )
    .optional()
    .meta({
      readBy: 'API',
      unset: 'none',
      description:
        'Addresses and networks of the proxies before the API, separated by commas. Only what they say about the ' +
        'caller (`X-Forwarded-For`, `-Proto`, `-Host`) is believed; see [Behind a proxy](#behind-a-proxy).',
      example: '10.0.0.0/8, 192.0.2.7',
    }),
  TOOLMARK_REQUESTS_PER_MINUTE: integer(1, 10_000_000).default(6000).meta({
    readBy: 'API',
    description: 'Requests a minute of one token or session; see [Limits of callers](#limits-of-callers).',
  }),
  TOOLMARK_USER_REQUESTS_PER_MINUTE: integer(1, 10_000_000).default(12_000).meta({
    readBy: 'API',
    description: 'Requests a minute of one user, with all tokens and sessions.',
  }),
  TOOLMARK_OPEN_REQUESTS_PER_MINUTE: integer(1, 10_000_000).default(600).meta({
    readBy: 'API',
    description: 'Requests a minute of one address without a token or session, apart from the files of the page.',
  }),
  TOOLMARK_FAILED_SIGN_INS_PER_MINUTE: integer(1, 10_000_000).default(30).meta({
    readBy: 'API',
    description: 'Wrong tokens and failed sign-ins a minute of one address. A right token is never refused for them.',
  }),
  TOOLMARK_SOCKETS_PER_TOKEN: integer(1, 100_000).default(100).meta({
    readBy: 'API',
    description: 'Live connections of one token, or of one person who signed in, to one API process.',
  }),
  TOOLMARK_SUBSCRIPTIONS_PER_SOCKET: integer(1, 100_000).default(500).meta({
    readBy: 'API',
    description: 'Jobs that one live connection may follow at a time.',
  }),
  TOOLMARK_ALLOWED_NETWORKS: hostList(
    z
      .string()
      .refine(
        isHostPattern,
        'must be networks, addresses and names such as 10.0.0.0/8, 127.0.0.1:11434 or llm.example.internal',
      ),
  )
    .optional()
    .meta({
      readBy: 'API, worker',
      unset: 'none',
      description:
        'Private networks, addresses and host names that requests to providers and MCP servers may go to, separated ' +
        'by commas, each with a port if only that is meant. `npm start` and Compose add the simulator; see [Where ' +
        'requests may go](#where-requests-may-go).',
      example: '10.1.0.0/16, 127.0.0.1:11434, *.llm.example.internal',
    }),
  TOOLMARK_ALLOW_PRIVATE_NETWORKS: flag.meta({
    readBy: 'API, worker',
    unset: '`false`',
    description:
      '`true`: all private networks are allowed. In this release for the last time: name them in ' +
      '`TOOLMARK_ALLOWED_NETWORKS`.',
  }),
  HTTPS_PROXY: proxy.optional().meta({
    readBy: 'API, worker',
    unset: 'none',
    description:
      'The proxy for https requests to providers, MCP servers, providers of sign-in and the collector of traces; see ' +
      '[Through a proxy](#through-a-proxy).',
    example: 'http://user:password@proxy.example.com:3128',
  }),
  HTTP_PROXY: proxy.optional().meta({
    readBy: 'API, worker',
    unset: 'none',
    description: 'The proxy for http requests. They go through it only to hosts in `TOOLMARK_ALLOWED_NETWORKS`.',
    example: 'http://proxy.example.com:3128',
  }),
  // Other programs know other entries, too.
  NO_PROXY: hostList(z.string()).optional().meta({
    readBy: 'API, worker',
    unset: 'none',
    description: 'Networks, addresses and host names that are reached without the proxy, separated by commas.',
    example: '10.0.0.0/8, .example.internal',
  }),
  TOOLMARK_EXTRA_CA: z
    .string()
    .max(4096)
    .optional()
    .meta({
      readBy: 'API, worker',
      unset: 'none',
      description:
        "A PEM file with certificates of authorities to trust in addition to the system's, for every request that " +
        'leaves. It is read once, and the process does not start if it cannot be read.',
      example: '/etc/toolmark/ca.pem',
    }),
  TOOLMARK_KEEP_EXCHANGES_DAYS: integer(1, 36_500)
    .optional()
    .meta({
      readBy: 'worker',
      unset: 'forever',
      description:
        'Days after which the raw requests and replies of runs are removed, a month at a time. Verdicts stay. Such ' +
        'runs cannot be scored again, and their replies no longer answer requests.',
      example: '90',
    }),
  TOOLMARK_KEEP_AUDIT_DAYS: integer(1, 36_500).optional().meta({
    readBy: 'worker',
    unset: 'forever',
    description: 'Days after which the [audit](#the-audit) is removed, a month at a time.',
    example: '400',
  }),
  TOOLMARK_DATABASE_POOL: integer(2, 200)
    .default(10)
    .meta({
      readBy: 'API, worker',
      description:
        'Connections of one process to Postgres, 2 to 200. An API has 4 more, a worker up to 13 for the leases of ' +
        'its steps, for comparisons and for counting.',
    }),
  TOOLMARK_ANSWERS_MIB: integer(64, 16_384)
    .default(128)
    .meta({
      readBy: 'API',
      description:
        'MiB of large answers that clients have not read yet, 64 to 16,384. A team has a quarter; see ' +
        '[Bounds](#bounds).',
    }),
  TOOLMARK_BODIES_MIB: integer(48, 16_384).default(192).meta({
    readBy: 'API',
    description: 'MiB of large bodies that are being read, 48 to 16,384. A team has a third.',
  }),
  // Half of it must hold at least one reply of the largest size.
  TOOLMARK_REPLIES_MIB: integer(32, 16_384).default(64).meta({
    readBy: 'worker',
    description: 'MiB of large replies in memory, 32 to 16,384. A lane has half.',
  }),
  TOOLMARK_DRAIN_SECONDS: integer(0, 3600)
    .default(45)
    .meta({
      readBy: 'worker',
      description:
        'Seconds for which a stopping worker finishes its claimed items, 0 to 3600, because open requests cost ' +
        'money; see [Stopping](#stopping).',
    }),
  TOOLMARK_PRICES_FILE: z
    .string()
    .max(4096)
    .optional()
    .meta({
      readBy: 'API',
      unset: 'the table that ships',
      description:
        'A JSON file of known [prices](costs.md#a-table-of-your-own) that replaces the whole table. The API reads ' +
        'it once, and does not start if anything in it is wrong.',
    }),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').meta({
    readBy: 'API, worker',
    description: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  }),
  // The exporter reads its other variables itself.
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, 'http://collector:4318')
    .optional()
    .meta({
      readBy: 'API, worker',
      description:
        'A collector of OpenTelemetry traces (OTLP over HTTP; `/v1/traces` is appended). Without it nothing is ' +
        'traced; see [Watching it](#watching-it).',
      example: 'http://localhost:4318',
    }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).optional().meta({
    readBy: 'API, worker',
    unset: 'the first 100 items of each model and 1 % of the rest',
    description: "The share of a run's items that is traced, 0 to 1.",
  }),
  PORT: integer(0, 65_535).optional().meta({
    readBy: 'all',
    unset: '8501 API, 8502 simulator, 8503 worker',
    description: "The port. For `npm start`: the API's port, or 0 for any free one.",
    example: '8501',
  }),
  TOOLMARK_METRICS_PORT: integer(1, 65_535)
    .optional()
    .meta({
      readBy: 'API, worker',
      unset: 'none',
      description:
        'A port of its own for `/metrics`. Only there do metrics have the names of lanes; `PORT` answers without ' +
        'them, in this release for the last time. `npm start` gives it to the API only; see [Watching ' +
        'it](#watching-it).',
      example: '9464',
    }),
  // The image sets 0.0.0.0: in a container, the published ports control access.
  TOOLMARK_HOST: z
    .union([z.ipv4(), z.ipv6(), z.literal('localhost')], 'must be an address of this machine, such as 0.0.0.0')
    .default('127.0.0.1')
    .meta({
      readBy: 'all',
      unset: '`127.0.0.1`; `0.0.0.0` in the image',
      description:
        'The address to listen on; `0.0.0.0` lets other machines in. `npm start` gives it to the API only: the ' +
        'simulator shows requests and the metrics of workers name lanes, so both stay on 127.0.0.1.',
    }),
});
export type Env = z.infer<typeof Env>;

/**
 * Reads the configuration of this process from its environment, and checks all of it before anything connects.
 * Lists every problem and exits when something is wrong or missing.
 */
export const readEnv = (source: NodeJS.ProcessEnv = process.env): Env =>
  read(
    (source.TOOLMARK_SEALING_KEYS ? Env : Env.extend({ TOOLMARK_SEALING_KEY: sealingKey })).superRefine(
      refuseKeyOutsideOfRing,
    ),
    source,
  );

/** Whoever set both expects that what the single key sealed can be opened. */
function refuseKeyOutsideOfRing(
  { TOOLMARK_SEALING_KEY: single, TOOLMARK_SEALING_KEYS: ring }: Env,
  context: z.RefinementCtx,
): void {
  if (!single || !ring || ring.some((key) => key.toLowerCase() === single.toLowerCase())) return;
  const message = 'must be one of TOOLMARK_SEALING_KEYS, which takes its place. Add it there at the end, or unset it';
  context.addIssue({ code: 'custom', path: ['TOOLMARK_SEALING_KEY'], message });
}

/** Reads only the URL of the database, which is all that migrations need. */
export const readDatabaseUrl = (source: NodeJS.ProcessEnv = process.env): string =>
  read(Env.pick({ DATABASE_URL: true }), source).DATABASE_URL;

/** Variables of Toolmark, of what it runs on, and of the stores beside it. */
const OWN_VARIABLES =
  /^(TOOLMARK|OTEL|NODE|NPM|POSTGRES|PG|REDIS|LD|KUBERNETES)_|^PG[A-Z]+$|_PROXY$|^(MIGRATE_)?DATABASE_URL$|^PATH$/;

/** Whether an environment variable is a setting of Toolmark, or of what it runs on. */
export const isOwnVariable = (name: string): boolean =>
  Object.hasOwn(Env.shape, name.toUpperCase()) || OWN_VARIABLES.test(name.toUpperCase());

/** A variable that the operator names in a setting; undefined if it is not set. */
export const readVariable = (name: string): string | undefined => process.env[name];

function read<Schema extends z.ZodType>(schema: Schema, source: NodeJS.ProcessEnv): z.infer<Schema> {
  const given = Object.entries(source).filter(([, value]) => value !== '');
  // Other programs spell these in lower case.
  const proxies = given
    .filter(([name]) => /^(https?|no)_proxy$/.test(name))
    .map(([name, value]) => [name.toUpperCase(), value]);
  const parsed = schema.safeParse(Object.fromEntries([...proxies, ...given]));
  if (parsed.success) return parsed.data;
  const lines = toInputErrors(parsed.error.issues).map(({ path, message }) => `  ${path.slice(1)} ${message}`);
  process.stderr.write(
    `The configuration is not usable:\n${lines.join('\n')}\nEvery variable is described in docs/operations.md.\n`,
  );
  process.exit(1);
}
