import { ApiError } from '#lib/client/api-client';
import type { GateResult } from '#lib/gate/contract';

export const EXIT = { done: 0, negative: 1, usage: 2, inconclusive: 3, notMeasured: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The table in `toolmark --help`, and in docs/cli.md through `npm run docs`. */
export const EXIT_CODES: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.done, 'Done, or passed.'],
  [EXIT.negative, 'Negative answer: refused, not found, not completed, below --fail-under, or a failed gate.'],
  [EXIT.usage, 'No answer: wrong usage, an unreadable file, no server, or an unknown token.'],
  [EXIT.inconclusive, 'Inconclusive: the data cannot tell whether a gate passes, or --fail-under is reached.'],
  [EXIT.notMeasured, 'Not measured: a gate or --fail-under had no data.'],
];

export const GATE_EXITS: Record<GateResult, ExitCode> = {
  pass: EXIT.done,
  fail: EXIT.negative,
  inconclusive: EXIT.inconclusive,
  not_measured: EXIT.notMeasured,
};

const BY_GRAVITY: readonly unknown[] = [EXIT.done, EXIT.inconclusive, EXIT.notMeasured, EXIT.negative, EXIT.usage];

/** Makes the process exit with this code, unless a more severe one was already set. */
export function exitWith(code: ExitCode): void {
  if (BY_GRAVITY.indexOf(code) > BY_GRAVITY.indexOf(process.exitCode ?? EXIT.done)) process.exitCode = code;
}

/** A lookup with a negative result: no item has that name, or several do. */
export class NegativeAnswer extends Error {
  /** @param candidates possible matches, one per line */
  constructor(
    message: string,
    readonly candidates: readonly string[] = [],
  ) {
    super(message);
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof NegativeAnswer) return EXIT.negative;
  if (!(error instanceof ApiError)) return EXIT.usage;
  const { status } = error.problem;
  return status === 401 || status >= 500 ? EXIT.usage : EXIT.negative;
}
