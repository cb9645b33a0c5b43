import { CommanderError } from 'commander';
import { exitCodeOf } from './exit-codes.js';
import { explainError, problemOf } from './explain-error.js';
import { version } from './installation.js';
import { printError, printJsonError } from './output/terminal.js';
import { commandOf, createProgram, withJsonFile } from './program.js';

/** Runs the command line, and leaves the exit code in `process.exitCode`. */
export async function runProgram(given: readonly string[]): Promise<void> {
  const args = withJsonFile(given);
  const program = await createProgram(version(), commandOf(args));
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander also throws after it has printed the help or the version.
    if (!(error instanceof CommanderError && error.exitCode === 0)) report(error as Error, args);
  }
}

function report(error: Error, args: readonly string[]): void {
  process.exitCode = exitCodeOf(error);
  if (args.includes('--json')) return printJsonError(problemOf(error));
  printError(...explainError(error));
  if (error instanceof CommanderError) printError('See toolmark --help or toolmark COMMAND --help.');
}
