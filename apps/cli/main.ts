import { readFileSync } from 'node:fs';
import { ApiClient, ApiError } from '#lib/client/api-client';
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
  server: { type: 'string' }, token: { type: 'string' }, models: { type: 'string' }, watch: { type: 'boolean' }, json: { type: 'boolean' },
  failed: { type: 'boolean' }, samples: { type: 'string' }, temperature: { type: 'string' }, 'tool-choice': { type: 'string' }, help: { type: 'boolean', short: 'h' },
  target: { type: 'string' },
  in: { type: 'string' }, out: { type: 'string' }, cache: { type: 'string' },
  format: { type: 'string' }, answers: { type: 'string' }, name: { type: 'string' }, 'dry-run': { type: 'boolean' },
  version: { type: 'boolean' },
} as const;
const read = () => readArguments(process.argv.slice(2), OPTIONS);
export type Options = ReturnType<typeof read>['values'];

endWithReader();

type Command = (client: ApiClient, rest: string[], options: Options) => Promise<void>;
/** Each is loaded when it is asked for: who scores recorded calls waits for no client of Socket.IO. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ['suites', async () => (await import('./commands.js')).suites],
  ['run', async () => (await import('./run.js')).run],
  ['record', async () => (await import('./record.js')).record],
  ['jobs', async () => (await import('./commands.js')).jobs],
  ['cancel', async () => (await import('./commands.js')).cancel],
  ['results', async () => (await import('./commands.js')).results],
]);

try {
  const { values, positionals: [command, ...rest] } = read();
  if (values.version) say(`toolmark ${version()}`);
  else if (!command || values.help) say(...USAGE);
  else if (command === 'login') await login(values);
  else if (command === 'score') await (await import('./score.js')).score(values);
  else await perform(command, rest, values);
} catch (error) {
  tell(...explain(error as Error));
  process.exitCode = 1;
}

async function perform(command: string, rest: string[], options: Options): Promise<void> {
  const load = COMMANDS.get(command);
  if (!load) {
    tell(`No command "${command}".`, '', ...USAGE);
    process.exitCode = 1;
    return;
  }
  const { server, token } = connection(options);
  await (await load())(new ApiClient(server, token), rest, options);
}

function version(): string {
  const file = new URL(import.meta.url.includes('/dist/') ? '../../../package.json' : '../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function explain(error: Error): string[] {
  const { message, cause } = error;
  if (error instanceof ApiError) return error.lines;
  if (!(cause instanceof Error)) return [message];
  // What fetch throws says only in its cause what happened.
  return message === 'fetch failed' ? [`The server cannot be reached: ${cause.message || (cause as NodeJS.ErrnoException).code}. Is it running (npm start)?`] : [message, ...explain(cause)];
}
