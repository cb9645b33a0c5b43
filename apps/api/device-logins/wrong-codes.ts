import { ProblemError } from '#lib/contracts/input/problem';

const MAX_WRONG = 20;
const MEMORY_MS = 600_000;
const MAX_PEOPLE = 10_000;

/** Counts wrong codes of each person, so that nobody finds the login of somebody else by trying. */
export class WrongCodes {
  readonly #people = new Map<string, { wrong: number; untilMs: number }>();

  /** @throws ProblemError 404 for a code that finds nothing, 429 after many of them */
  async count<Found>(personId: string, find: () => Promise<Found | undefined>): Promise<Found> {
    const before = this.#people.get(personId);
    const known = before && before.untilMs > Date.now() ? before : { wrong: 0, untilMs: Date.now() + MEMORY_MS };
    if (known.wrong >= MAX_WRONG)
      throw new ProblemError(429, 'Too many wrong codes. Try again in ten minutes.', undefined, MEMORY_MS);
    // Counted before it is known to be wrong, so that many at once are counted, too.
    known.wrong++;
    if (this.#people.size >= MAX_PEOPLE) this.#people.clear();
    this.#people.set(personId, known);
    const found = await find();
    if (found === undefined)
      throw new ProblemError(404, 'No login waits with this code. Compare it with the one in the terminal.').as(
        'login_ended',
      );
    known.wrong--;
    return found;
  }
}
