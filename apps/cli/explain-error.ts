import { CommanderError } from 'commander';
import { ApiError, type ReceivedProblem } from '#lib/client/api-client';
import type { Problem } from '#lib/contracts/input/problem-document';
import { PROBLEM_CODES, type CodeEntry } from '#lib/contracts/problem-codes';
import { EXIT, exitCodeOf, NegativeAnswer } from './exit-codes.js';

/** When to try again, of what the server refused for now. */
const waitOf = ({ problem: { status, detail }, retryAfterS: seconds }: ApiError): string[] =>
  status === 429 && seconds !== undefined && !detail.includes('Try again') ? [`Try again in ${seconds} s.`] : [];

/** The lines that explain an error. */
export function explainError(error: Error): string[] {
  const { message, cause } = error;
  if (error instanceof ApiError) return [...error.lines, ...waitOf(error), ...commandFor(error.problem)];
  if (error instanceof CommanderError) return explainUsage(error);
  if (error instanceof NegativeAnswer) return [message, ...error.candidates.map((candidate) => `  ${candidate}`)];
  if (!(cause instanceof Error)) return [message];
  // For errors of fetch, only the cause says what happened.
  return message === 'fetch failed'
    ? [
        `The server cannot be reached: ${cause.message || (cause as NodeJS.ErrnoException).code}. Is it ` +
          'running (npm start)?',
      ]
    : [message, ...explainError(cause)];
}

const CODES: Record<string, CodeEntry> = PROBLEM_CODES;

/** The command that helps with a problem, if there is one and its arguments are known. */
function commandFor({ code = '', params = {} }: ReceivedProblem): string[] {
  const command = Object.hasOwn(CODES, code) ? CODES[code]!.command : undefined;
  if (command === undefined) return [];
  const filled = command.replaceAll(/<(\w+)>/g, (whole, name: string) => String(params[name] ?? whole));
  return [`Try: ${filled}`];
}

/** Commander puts its suggestion on a line of its own; other line breaks come from the arguments. */
function explainUsage({ code, message }: CommanderError): string[] {
  const lines = message.split(/\n(?=\(Did you mean )/);
  if (code === 'commander.excessArguments') lines.push('Put a name of several words in quotes.');
  return lines;
}

/** The error as a problem document, for --json. One without `status` did not come from a server. */
export function problemOf(error: Error): Partial<Problem> {
  if (error instanceof ApiError) return error.problem;
  return {
    type: 'about:blank',
    title: exitCodeOf(error) === EXIT.negative ? 'Negative answer' : 'Usage or connection',
    detail: explainError(error).join(' '),
  };
}
