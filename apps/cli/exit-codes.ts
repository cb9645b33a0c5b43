import { ApiError } from '#lib/client/api-client';

export const EXIT = { done: 0, negative: 1, usage: 2 } as const;

/** The table of `toolmark --help` and docs/cli.md. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.done, 'Done, or passed.'],
  [EXIT.negative, 'Answered, and the answer is negative: refused, not found, not completed, below --fail-under.'],
  [EXIT.usage, 'Not answered: wrong usage, an unreadable file, no server, or a token that the server does not know.'],
];

/** A question was answered, and the answer is no: nothing has that name, or several things have it. */
export class NegativeAnswer extends Error {
  /** @param candidates what may be meant, one a line */
  constructor(
    message: string,
    readonly candidates: readonly string[] = [],
  ) {
    super(message);
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof NegativeAnswer) return EXIT.negative;
  if (!(error instanceof ApiError)) return EXIT.usage;
  const { status } = error.problem;
  return status === 401 || status >= 500 ? EXIT.usage : EXIT.negative;
}
