import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { Semaphore } from '#lib/runtime/semaphore';

const AT_ONCE_PER_TEAM = 2;
/** Clients may be slow: the threads that write exports, and not this, bound what all of them take. */
const AT_ONCE = 20;
const MAX_WAITING = 10;

/** Lets exports take turns, within a team and in all. An export has its turn until its client has all of it. */
export class ExportTurns {
  readonly #perTeam = new KeyedSemaphore(
    AT_ONCE_PER_TEAM,
    MAX_WAITING,
    `${AT_ONCE_PER_TEAM} exports of your team are under way, and ${MAX_WAITING} wait. Ask again when one has ended.`,
  );
  readonly #inAll = new Semaphore(AT_ONCE);

  /**
   * Waits for a turn.
   * @returns what gives it back
   * @throws ProblemError 429 when too many of the team wait already
   */
  take(teamId: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const hold = (): Promise<void> => new Promise((giveBack) => resolve(giveBack));
      this.#perTeam.run(teamId, () => this.#inAll.run(hold)).catch(reject);
    });
  }
}
