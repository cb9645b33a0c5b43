import { CommanderError } from 'commander';
import { exitCodeOf } from './exit-codes.js';
import { explainError, problemOf } from './explain-error.js';
import { version } from './installation.js';
import { exitOnClosedPipe, printError, printJsonError } from './output/terminal.js';
import { createProgram } from './program.js';

exitOnClosedPipe();
const program = createProgram(version());
const args = process.argv.slice(2);
try {
  if (args.length === 0) program.outputHelp();
  else await program.parseAsync(args, { from: 'user' });
} catch (error) {
  // Commander throws as well when it has printed the help or the version.
  if (!(error instanceof CommanderError && error.exitCode === 0)) report(error as Error);
}

function report(error: Error): void {
  process.exitCode = exitCodeOf(error);
  if (asksForJson()) return printJsonError(problemOf(error));
  printError(...explainError(error));
  if (error instanceof CommanderError) printError('See toolmark --help, or --help behind a command.');
}

/** `--json FILE`, which `toolmark gate` takes, is about a file: errors stay text. */
function asksForJson(): boolean {
  const at = args.indexOf('--json');
  const isFile = args.slice(0, Math.max(at, 0)).includes('gate') && /^[^-]/.test(args[at + 1] ?? '');
  return at >= 0 && !isFile;
}
