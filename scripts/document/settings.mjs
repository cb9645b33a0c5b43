// The table of docs/operations.md and .env.example: from the environment schema, and from settings read elsewhere.
import { z } from 'zod';
import { Env } from '../../dist/libs/runtime/env.js';
import { code, table } from './tables.mjs';

/** Settings of processes outside that schema. */
const OTHERS = [
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    readBy: 'API, worker',
    description:
      "Headers for the collector, `name=value,name=value`. OpenTelemetry's other variables for exporters and " +
      'resources work too.',
  },
  {
    name: 'SIMULATOR_SEED',
    readBy: 'simulator',
    value: 1,
    description: 'The same seed gives the same replies.',
  },
  {
    name: 'TOOLMARK_SERVER',
    readBy: 'command line',
    unset: 'the local `npm start`',
    description: 'Instead of `--server`.',
    example: 'http://127.0.0.1:8501',
  },
  {
    name: 'TOOLMARK_TOKEN',
    readBy: 'command line',
    unset: 'that of the local `npm start`',
    description: 'Instead of `--token`.',
  },
  {
    name: 'OPENAI_API_KEY',
    readBy: '`npm start`, Compose',
    description: 'Registers provider `openai`, with the models that the endpoint lists, unless that provider exists.',
  },
  {
    name: 'OPENAI_BASE_URL',
    readBy: '`npm start`, Compose',
    description: 'The address of that provider.',
    example: 'https://api.openai.com/v1',
  },
  {
    name: 'TOOLMARK_DATA_DIR',
    readBy: '`npm start`',
    value: '.toolmark',
    description: 'The folder of databases, logs and secrets.',
  },
  {
    name: 'TOOLMARK_PUBLISH',
    readBy: 'Compose',
    value: '127.0.0.1:8501',
    description: 'Address and port of the API on this machine.',
  },
  {
    name: 'TOOLMARK_KEY_REFS_FOLDER',
    readBy: 'Compose',
    unset: 'none',
    description: 'The absolute path of a folder with the file of `TOOLMARK_KEY_REFS_FILE` and its keys, to mount.',
    example: '/etc/toolmark/key-refs',
  },
  { name: 'TOOLMARK_IMAGE', readBy: 'Compose', value: 'toolmark', description: "The image's name." },
  {
    name: 'POSTGRES_PASSWORD',
    readBy: 'Compose',
    value: 'toolmark',
    description: 'Letters and digits; used at the first start only. Postgres publishes no port.',
  },
  {
    name: 'TOOLMARK_SECRETS_DIR',
    readBy: 'image',
    description:
      'The folder in which `migrate` creates `sealing-key` and `admin-token` unless they are given, and from which ' +
      'the other processes read them.',
  },
  {
    name: 'TOOLMARK_TEST_SERVICES',
    readBy: '`npm test`',
    unset: 'containers if a Docker engine answers',
    description: '`docker` or `embedded`. `DATABASE_URL` and `REDIS_URL` take precedence.',
  },
  {
    name: 'TOOLMARK_TEST_SEED',
    readBy: '`npm test`',
    unset: 'from the commit',
    description:
      'The seed of everything random in tests: faults, generated inputs. It is printed; the same seed repeats them.',
  },
];

const all = [
  ...Object.entries(Env.shape).map(([name, schema]) => ({
    name,
    value: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).default,
    ...schema.meta(),
  })),
  ...OTHERS,
];
const defaultOf = ({ unset, value }) => unset ?? (value === undefined ? '-' : code(value));

export const settings = () =>
  table(
    ['variable', 'read by', 'default', 'meaning'],
    all.map((one) => [code(one.name), one.readBy, defaultOf(one), one.description]),
  );

const HEAD =
  'Every environment variable of Toolmark; npm run docs writes this file. `npm start` reads a file `.env` beside it ' +
  'and needs none of them, and Compose reads it too. The processes that containers run (npm run start:api, ' +
  'start:worker, start:simulator) read only the environment.';

export const envExample = () =>
  [
    commented(HEAD),
    ...all.map((one) => {
      const unset = defaultOf(one) === '-' ? '' : ` Default: ${plain(defaultOf(one))}.`;
      const about = `${plain(one.description)} Read by: ${plain(one.readBy)}.${unset}`;
      return `${commented(about)}\n#${one.name}=${one.example ?? one.value ?? ''}`;
    }),
    '',
  ].join('\n\n');

const plain = (text) =>
  text.replaceAll(
    /\[([^\]]*)\]\(([^)]*)\)/g,
    (_, words, to) => `${words} (docs/${to.replace(/^#/, 'operations.md#')})`,
  );

/** Wraps words into comment lines, 120 wide. */
const commented = (text) => text.replaceAll(/(.{1,118})(?: |$)/g, '# $1\n').trimEnd();
