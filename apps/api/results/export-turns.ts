import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { Semaphore } from '#lib/runtime/semaphore';

const AT_ONCE_PER_TEAM = 2;
/** High, because clients may be slow: it is the threads that write exports that limit the total load. */
const AT_ONCE = 20;
const MAX_WAITING = 10;

/**
 * Limits concurrent exports, per team and in total. An export keeps its turn until its client has received all of it.
 */
export class ExportTurns {
  readonly #perTeam = new KeyedSemaphore(
    AT_ONCE_PER_TEAM,
    MAX_WAITING,
    `${AT_ONCE_PER_TEAM} exports of your team are running, and ${MAX_WAITING} are queued. Try again when one ends.`,
  );
  readonly #inAll = new Semaphore(AT_ONCE);

  /**
   * Waits for a turn.
   * @returns a function that releases it
   * @throws ProblemError 429 when too many exports of the team are waiting
   */
  take(teamId: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const hold = (): Promise<void> => new Promise((giveBack) => resolve(giveBack));
      this.#perTeam.run(teamId, () => this.#inAll.run(hold)).catch(reject);
    });
  }
}
