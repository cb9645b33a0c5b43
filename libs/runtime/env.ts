import { z } from 'zod';
import { toInputErrors } from '#lib/contracts/input/input-errors';

const flag = z
  .enum(['true', 'false', '1', '0', ''])
  .default('false')
  .transform((text) => text === 'true' || text === '1');
const url = (protocols: RegExp, example: string) =>
  z.url({ protocol: protocols, error: `must be a URL such as ${example}` });
const HEX_KEY = 'must be 64 hexadecimal digits (openssl rand -hex 32)';

const Env = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  /** The address to listen on. The image sets 0.0.0.0: what a container publishes decides there. */
  TOOLMARK_HOST: z
    .union([z.ipv4(), z.ipv6(), z.literal('localhost')], 'must be an address of this machine, such as 0.0.0.0')
    .default('127.0.0.1'),
  DATABASE_URL: url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/toolmark'),
  REDIS_URL: url(/^rediss?$/, 'redis://host:6379'),
  TOOLMARK_ADMIN_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  TOOLMARK_SEALING_KEY: z.string(HEX_KEY).regex(/^[0-9a-fA-F]{64}$/, HEX_KEY),
  TOOLMARK_ALLOW_PRIVATE_NETWORKS: flag,
  /** Connections of one process to Postgres. */
  TOOLMARK_DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10),
  /** Large answers that clients have not taken yet, in one API. A team has a quarter. */
  TOOLMARK_ANSWERS_MIB: z.coerce.number().int().min(64).max(16_384).default(128),
  /** Large bodies in one API. A team has a third. */
  TOOLMARK_BODIES_MIB: z.coerce.number().int().min(48).max(16_384).default(192),
  /** Large replies in one worker. A lane has half: at least one reply of the largest size. */
  TOOLMARK_REPLIES_MIB: z.coerce.number().int().min(32).max(16_384).default(64),
  /** A table of known prices in the place of the one that ships; only the API reads it. */
  TOOLMARK_PRICES_FILE: z.string().max(4096).optional(),
  /** How long raw exchanges are kept. Without it they are kept forever. */
  TOOLMARK_KEEP_EXCHANGES_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  /** How long a worker that is told to stop lets open requests continue, since they cost money. */
  TOOLMARK_DRAIN_SECONDS: z.coerce.number().int().min(0).max(3600).default(45),
  /** A collector of OpenTelemetry traces. The exporter reads its other variables itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, 'http://collector:4318').optional(),
  /** The share of a run's items that is traced. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});
export type Env = z.infer<typeof Env>;

/**
 * Reads the configuration of this process from its environment, and checks all of it before anything connects.
 * Lists every problem and exits when something is wrong or missing.
 */
export const readEnv = (source: NodeJS.ProcessEnv = process.env): Env => read(Env, source);

/** Reads only the URL of the database, which is all that migrations need. */
export const readDatabaseUrl = (source: NodeJS.ProcessEnv = process.env): string =>
  read(Env.pick({ DATABASE_URL: true }), source).DATABASE_URL;

function read<Schema extends z.ZodType>(schema: Schema, source: NodeJS.ProcessEnv): z.infer<Schema> {
  const parsed = schema.safeParse(Object.fromEntries(Object.entries(source).filter(([, value]) => value !== '')));
  if (parsed.success) return parsed.data;
  const lines = toInputErrors(parsed.error.issues).map(({ path, message }) => `  ${path.slice(1)} ${message}`);
  process.stderr.write(
    `The configuration is not usable:\n${lines.join('\n')}\nEvery variable is described in docs/operations.md.\n`,
  );
  process.exit(1);
}
