import { readFileSync } from 'node:fs';
import { ApiClient, ApiError } from '#lib/client/api-client';
import { insteadOf } from '#lib/contracts/input/nearest';
import { connection, login } from './connection.js';
import { readArguments } from './read-arguments.js';
import { endWithReader, say, tell } from './terminal.js';

const USAGE = `toolmark: find out how well language models call tools

  toolmark login --server URL --token TOKEN      remembers both for the next commands
  toolmark suites list | import FILE | export SUITE | drafts SUITE | confirm SUITE CASE ...
                  import: [--format native|bfcl|chat-logs|promptfoo|otlp|langfuse|phoenix|csv|yaml|jsonl]
                          [--answers FILE] [--name NAME] [--dry-run]
                  export: [--format json|csv|bfcl|jsonl|yaml]
  toolmark run SUITE --models a,b [--watch] [--json] [--samples N] [--temperature T] [--tool-choice C] [--cache off|use|refresh]
                  SUITE: the id or the name of a suite, or a file that is imported first
  toolmark record SUITE --target NAME [--in FILE] [--watch] [--json]
                  makes a run of replies that were made elsewhere: JSON lines {case, sample, reply | rounds | error}
  toolmark jobs [--json]
  toolmark cancel JOB
  toolmark results RUN|JOB [--failed] [--json]
  toolmark score [--in FILE] [--out FILE]        scores JSON lines of recorded calls by any metric; needs no server
  toolmark --version

Everywhere: --server URL --token TOKEN. Without them: TOOLMARK_SERVER and TOOLMARK_TOKEN, what login remembered,
or the server that npm start runs here.`.split('\n');

const OPTIONS = {
  server: { type: 'string' },
  token: { type: 'string' },
  models: { type: 'string' },
  watch: { type: 'boolean' },
  json: { type: 'boolean' },
  failed: { type: 'boolean' },
  samples: { type: 'string' },
  temperature: { type: 'string' },
  'tool-choice': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  target: { type: 'string' },
  in: { type: 'string' },
  out: { type: 'string' },
  cache: { type: 'string' },
  format: { type: 'string' },
  answers: { type: 'string' },
  name: { type: 'string' },
  'dry-run': { type: 'boolean' },
  version: { type: 'boolean' },
} as const;
const read = () => readArguments(process.argv.slice(2), OPTIONS);
export type Options = ReturnType<typeof read>['values'];

endWithReader();

type OptionName = keyof Options;
interface Command {
  /** Beside those that every command takes. */
  options: OptionName[];
  /** The most that may stand behind the command's name; any number where it is left out. */
  most?: number;
  /** Each is loaded when it is asked for: who scores recorded calls waits for no client of Socket.IO. */
  perform: (rest: string[], options: Options) => Promise<void>;
}

const EVERYWHERE: readonly OptionName[] = ['server', 'token', 'help', 'version'];
const COMMANDS = new Map<string, Command>([
  ['login', { options: [], most: 0, perform: (_rest, options) => login(options) }],
  [
    'suites',
    {
      options: ['format', 'answers', 'name', 'dry-run', 'json'],
      perform: async (...given) => (await import('./commands.js')).suites(clientOf(given[1]), ...given),
    },
  ],
  [
    'run',
    {
      options: ['models', 'watch', 'json', 'samples', 'temperature', 'tool-choice', 'cache'],
      most: 1,
      perform: async (...given) => (await import('./run.js')).run(clientOf(given[1]), ...given),
    },
  ],
  [
    'record',
    {
      options: ['target', 'in', 'watch', 'json'],
      most: 1,
      perform: async (...given) => (await import('./record.js')).record(clientOf(given[1]), ...given),
    },
  ],
  [
    'jobs',
    {
      options: ['json'],
      most: 0,
      perform: async (...given) => (await import('./commands.js')).jobs(clientOf(given[1]), ...given),
    },
  ],
  [
    'cancel',
    {
      options: [],
      most: 1,
      perform: async (rest, options) => (await import('./commands.js')).cancel(clientOf(options), rest),
    },
  ],
  [
    'results',
    {
      options: ['failed', 'json'],
      most: 1,
      perform: async (...given) => (await import('./commands.js')).results(clientOf(given[1]), ...given),
    },
  ],
  [
    'score',
    { options: ['in', 'out'], most: 0, perform: async (_rest, options) => (await import('./score.js')).score(options) },
  ],
]);

try {
  const {
    values,
    positionals: [name, ...rest],
  } = read();
  if (values.version) say(`toolmark ${version()}`);
  else if (!name || values.help) say(...USAGE);
  else await perform(name, rest, values);
} catch (error) {
  tell(...explain(error as Error));
  process.exitCode = 1;
}

async function perform(name: string, rest: string[], options: Options): Promise<void> {
  const command = COMMANDS.get(name);
  if (!command)
    throw new Error(
      `No command "${name}". ${insteadOf(name, [...COMMANDS.keys()], 'the commands')} See toolmark --help`,
    );
  const known = [...command.options, ...EVERYWHERE];
  for (const option of Object.keys(options) as OptionName[]) {
    if (!known.includes(option))
      throw new Error(
        `toolmark ${name} takes no --${option}. Its options: ${known.map((one) => `--${one}`).join(', ')}.`,
      );
  }
  if (command.most !== undefined && rest.length > command.most)
    throw new Error(
      `toolmark ${name} does not know what "${rest[command.most]}" is for. Put a name of several ` +
        'words in quotes. See toolmark --help',
    );
  await command.perform(rest, options);
}

function clientOf(options: Options): ApiClient {
  const { server, token } = connection(options);
  return new ApiClient(server, token);
}

function version(): string {
  const file = new URL(
    import.meta.url.includes('/dist/') ? '../../../package.json' : '../../package.json',
    import.meta.url,
  );
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function explain(error: Error): string[] {
  const { message, cause } = error;
  if (error instanceof ApiError) return error.lines;
  if (!(cause instanceof Error)) return [message];
  // What fetch throws says only in its cause what happened.
  return message === 'fetch failed'
    ? [
        `The server cannot be reached: ${cause.message || (cause as NodeJS.ErrnoException).code}. Is ` +
          'it running (npm start)?',
      ]
    : [message, ...explain(cause)];
}
