import { CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { exitCodeOf } from './exit-codes.js';
import { explainError, problemOf } from './explain-error.js';
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
  if (args.includes('--json')) return printJsonError(problemOf(error));
  printError(...explainError(error));
  if (error instanceof CommanderError) printError('See toolmark --help, or --help behind a command.');
}

function version(): string {
  const root = import.meta.url.includes('/dist/') ? '../../..' : '../..';
  const file = new URL(`${root}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
