import { parseArgs } from 'node:util';
import { ApiClient } from '#lib/client/api-client';
import { connection, login } from './connection.js';
import { score } from './score.js';
import { cancel, jobs, results, suites } from './commands.js';
import { run } from './run.js';

const USAGE = `toolmark: find out how well language models call tools

  toolmark login --server URL --token TOKEN      remembers both for the next commands
  toolmark suites list | import FILE | export ID
                  import: [--format native|bfcl|chat-logs|promptfoo|csv|yaml|jsonl] [--answers FILE] [--name NAME] [--dry-run]
                  export: [--format json|csv|bfcl|jsonl|yaml]
  toolmark run SUITE --models a,b [--watch] [--json] [--samples N] [--temperature T] [--tool-choice C] [--cache off|use|refresh]
                                                 SUITE: the id of a suite, or a file that is imported first
  toolmark jobs
  toolmark cancel JOB
  toolmark results RUN [--failed] [--json]
  toolmark score [--in FILE] [--out FILE]        scores JSON lines of recorded calls by any metric; needs no server

Everywhere: --server URL --token TOKEN. Without them: TOOLMARK_SERVER and TOOLMARK_TOKEN, what login remembered,
or the server that npm start runs here.`;

const OPTIONS = {
  server: { type: 'string' }, token: { type: 'string' }, models: { type: 'string' }, watch: { type: 'boolean' }, json: { type: 'boolean' },
  failed: { type: 'boolean' }, samples: { type: 'string' }, temperature: { type: 'string' }, 'tool-choice': { type: 'string' }, help: { type: 'boolean', short: 'h' },
  in: { type: 'string' }, out: { type: 'string' }, cache: { type: 'string' },
  format: { type: 'string' }, answers: { type: 'string' }, name: { type: 'string' }, 'dry-run': { type: 'boolean' },
} as const;
const read = () => parseArgs({ allowPositionals: true, options: OPTIONS });
export type Options = ReturnType<typeof read>['values'];

// Whoever reads our output may have had enough (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  const { values, positionals: [command, ...rest] } = read();
  if (!command || values.help) console.log(USAGE);
  else if (command === 'login') await login(values);
  else if (command === 'score') await score(values);
  else {
    const commands: Record<string, (client: ApiClient, rest: string[], options: Options) => Promise<void>> = { suites, run, jobs, cancel, results };
    const perform = commands[command];
    if (!perform) throw new Error(`No command "${command}".\n\n${USAGE}`);
    const { server, token } = connection(values);
    await perform(new ApiClient(server, token), rest, values);
  }
} catch (error) {
  console.error(explain(error as Error));
  process.exitCode = 1;
}

function explain({ message, cause, code }: Error & { code?: string }): string {
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${message}\nWhat there is: toolmark --help`;
  if (!(cause instanceof Error)) return message;
  // What fetch throws says only in its cause what happened.
  return message === 'fetch failed' ? `The server cannot be reached: ${cause.message || (cause as NodeJS.ErrnoException).code}. Is it running (npm start)?` : `${message}\n${explain(cause)}`;
}
