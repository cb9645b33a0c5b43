import { ProblemError } from '#lib/contracts/input/problem';
import { countKeys, hasKey, type KeyOwner } from '#lib/db/catalogue/idempotency';
import type { Pool } from '#lib/db/connection/pool';

const MOST_OF_USER = 5000;
const MOST_OF_TEAM = 50_000;
/** A count is used for this long, with what this process has added; at a limit, for a shorter time. */
const [COUNTED_FOR_MS, COUNTED_FOR_AT_LIMIT_MS] = [10_000, 1000];
/** Keys expire one by one. */
const RETRY_AFTER_MS = 600_000;
const MAX_TEAMS = 10_000;

interface Counts {
  atMs: number;
  team: number;
  users: Map<string, number>;
}

/**
 * Bounds how many Idempotency-Keys of a day are kept. Counting reads each key of a team, so it is done every few
 * seconds: replicas that count at the same time may together let a few more in.
 */
export class KeyCounts {
  readonly #counts = new Map<string, Counts>();

  constructor(readonly pool: Pool) {}

  /** @throws ProblemError 429 for a new key when the user or the team has as many as are kept */
  async check(owner: KeyOwner): Promise<void> {
    const limit = limitReached(await this.#read(owner), owner.userId);
    if (limit !== undefined && !(await hasKey(this.pool, owner))) throw tooMany(limit);
  }

  /** Counts a new key. */
  add({ teamId, userId }: KeyOwner): void {
    const counts = this.#counts.get(teamId);
    if (!counts) return;
    counts.team++;
    counts.users.set(userId, (counts.users.get(userId) ?? 0) + 1);
  }

  async #read({ teamId, userId }: KeyOwner): Promise<Counts> {
    const known = this.#counts.get(teamId);
    const maxAgeMs = known && limitReached(known, userId) ? COUNTED_FOR_AT_LIMIT_MS : COUNTED_FOR_MS;
    if (known && performance.now() - known.atMs < maxAgeMs) return known;
    const users = await countKeys(this.pool, teamId);
    const team = [...users.values()].reduce((sum, keys) => sum + keys, 0);
    const counts = { atMs: performance.now(), team, users };
    if (this.#counts.size >= MAX_TEAMS) this.#counts.clear();
    this.#counts.set(teamId, counts);
    return counts;
  }
}

function limitReached({ team, users }: Counts, userId: string): 'user' | 'team' | undefined {
  if ((users.get(userId) ?? 0) >= MOST_OF_USER) return 'user';
  return team >= MOST_OF_TEAM ? 'team' : undefined;
}

function tooMany(of: 'user' | 'team'): ProblemError {
  const limit = of === 'user' ? MOST_OF_USER : MOST_OF_TEAM;
  const who = of === 'user' ? 'You have' : 'Your team has';
  return new ProblemError(
    429,
    `${who} used ${limit.toLocaleString('en-US')} Idempotency-Keys within a day (the limit). Send the request ` +
      'without a key, or try again later.',
    undefined,
    RETRY_AFTER_MS,
  ).as('too_many_keys', { limit });
}
