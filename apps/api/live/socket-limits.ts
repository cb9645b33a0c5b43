import type { Socket } from 'socket.io';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Caller } from '#lib/db/catalogue/callers';
import { MOST_CONNECTIONS } from '../platform/connections.js';
import { countRefusal } from '../platform/refusal-metrics.js';
import { toProblem } from '../platform/problem.filter.js';
import { acknowledgementIn } from './answer-packets.js';
import type { LiveSocket } from './connection.js';

export interface SocketLimits {
  /** Sockets of one token, or of one person with sessions. */
  sockets: number;
  /** Jobs that one socket may follow. */
  subscriptions: number;
}

/** A client that is refused for long tries again rarely. */
const TRY_AGAIN_MS = 30_000;
const PACKETS_PER_SECOND = 50;

/** A user may have as many sockets as this many tokens: whoever makes tokens does not make room for more. */
const TOKENS_OF_A_USER = 3;

/** No team takes the connections of the others. */
const MOST_OF_A_TEAM = MOST_CONNECTIONS / 5;

/** Counts the open connections of each token, of each person with sessions, of each user and of each team. */
export class SocketCounts {
  readonly #open = new Map<string, number>();

  constructor(readonly most: number) {}

  /** Counts a connection until it is closed, in whatever way. @throws ProblemError 429 */
  take(
    { kind, tokenId, personId, userId, teamId }: Pick<Caller, SocketOwner>,
    connection: Pick<LiveSocket['conn'], 'readyState' | 'once'>,
  ): void {
    const counts = [
      { who: 'You have', key: kind === 'token' ? tokenId! : personId, most: this.most },
      { who: 'You have', key: `user ${userId}`, most: TOKENS_OF_A_USER * this.most },
      { who: 'Your team has', key: `team ${teamId}`, most: MOST_OF_A_TEAM },
    ];
    const full = counts.find(({ key, most }) => (this.#open.get(key) ?? 0) >= most);
    if (full) throw tooManySockets(full.who, full.most);
    if (connection.readyState !== 'open') return;
    for (const { key } of counts) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    connection.once('close', () => counts.forEach(({ key }) => this.#leave(key)));
  }

  #leave(key: string): void {
    const left = this.#open.get(key)! - 1;
    if (left > 0) this.#open.set(key, left);
    else this.#open.delete(key);
  }
}

type SocketOwner = 'kind' | 'tokenId' | 'personId' | 'userId' | 'teamId';

function tooManySockets(who: string, most: number): ProblemError {
  countRefusal('sockets');
  // Without the words token and session: to clients of the release before they mean the end.
  return new ProblemError(
    429,
    `${who} ${most} live connections open already (the limit). Close one of them.`,
    undefined,
    TRY_AGAIN_MS,
  ).as('rate_limited', { limit: 'sockets', most });
}

/**
 * Refuses the packets of a client that has sent many and goes on with more than fifty a second, before anything is done
 * for them. Whoever sends very many more is disconnected.
 */
export function boundPackets(socket: Socket, most: number): void {
  let [left, atMs] = [most, performance.now()];
  const refusal = new ProblemError(429, 'This live connection sends too many packets. Send fewer.', undefined, 1000).as(
    'rate_limited',
    { limit: 'packets', per_second: PACKETS_PER_SECOND },
  );
  socket.use((packet, next) => {
    const nowMs = performance.now();
    left = Math.min(most, left + ((nowMs - atMs) / 1000) * PACKETS_PER_SECOND) - 1;
    atMs = nowMs;
    if (left >= 0) return next();
    countRefusal('packets');
    acknowledgementIn(packet)?.({ ok: false, error: toProblem(refusal).problem });
    if (left < -most) socket.conn.close();
  });
}
