import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { ProblemError } from '#lib/contracts/input/problem';
import { leaveTurn } from '#lib/runtime/held-turn';
import { MemoryPool } from '#lib/runtime/memory-pool';
import type { CallerRequest } from './decorators.js';
import { toProblem } from './problem.filter.js';

const MIB = 2 ** 20;
/** Smaller answers are not counted: the operating system buffers them at once. */
const SMALL_ANSWER_BYTES = 64 * 1024;
/** Bytes written to a socket at a time. */
const PIECE_BYTES = 64 * 1024;
/** Owner of answers to requests without a token. All addresses together may hold as much as one team. */
const NOBODY = '';

interface Limits {
  /** Maximum bytes of large answers in the process. */
  process: number;
  /** Maximum bytes of those of one team. */
  team: number;
  /** How many answers of a team may wait for memory. */
  waiting: number;
  /**
   * A client that takes less than `PIECE_BYTES` of its pending answer in this time is disconnected. The operating
   * system takes a megabyte or two at a time once a third of its buffer is free: half a minute's worth of a slow
   * connection.
   */
  stallMs: number;
  /** How long an answer of the team that holds most may take while other teams wait for memory. */
  crowdedMs: number;
}
const LIMITS: Limits = { process: 128 * MIB, team: 32 * MIB, waiting: 30, stallMs: 120_000, crowdedMs: 30_000 };

/** A large answer that its client has not taken yet. */
interface Held {
  team: string;
  socket: Socket;
  sinceMs: number;
}

/** How much a client has taken over its connection, and since when it has taken no more. */
interface Taken {
  socket: Socket;
  bytes: number;
  sinceMs: number;
}

/**
 * Limits the memory of large answers that clients have not taken yet, in total and per team. An answer waits until its
 * team has memory for it. The memory is released when the client has taken the answer, has left, or has stopped
 * reading.
 */
export class AnswerMemory {
  readonly limits: Limits;
  readonly #pool: MemoryPool;
  readonly #waiting = new Map<string, number>();
  readonly #held = new Set<Held>();
  readonly #watched = new Set<Taken>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...LIMITS, ...limits };
    this.#pool = new MemoryPool({ process: this.limits.process, lane: this.limits.team });
  }

  /** Bytes of answers that are not taken yet. */
  get held(): number {
    return this.#pool.held;
  }

  /**
   * Acquires memory for an answer, in its team's turn. It is released when the answer is closed. A request whose answer
   * waits releases its other turn, so that the team can send other requests while some of its clients read slowly.
   * @returns undefined when the client left meanwhile
   * @throws ProblemError 429 when too many answers to the team's GET requests are waiting
   */
  async take(request: FastifyRequest, reply: FastifyReply, answerBytes: number): Promise<true | undefined> {
    const team = (request as CallerRequest).caller?.teamId ?? NOBODY;
    const bytes = Math.min(answerBytes, this.limits.team);
    const waiting = this.#waiting.get(team) ?? 0;
    // A change always gets its answer, however many are waiting.
    if (waiting >= this.limits.waiting && request.method === 'GET') throw tooManyWaiting(waiting);
    const asked = this.#pool.take(team, bytes);
    let isClosed = false;
    const held: Held = { team, socket: request.raw.socket, sinceMs: 0 };
    const hold = (): void => void this.#held.add(Object.assign(held, { sinceMs: performance.now() }));
    const release = (): void => {
      this.#held.delete(held);
      this.#pool.release(team, bytes);
    };
    if (!asked) {
      hold();
      onceClosed(request, reply, release);
      return true;
    }
    leaveTurn();
    this.#waiting.set(team, waiting + 1);
    try {
      return await new Promise<true | undefined>((resolve) => {
        let isGranted = false;
        onceClosed(request, reply, () => {
          isClosed = true;
          if (isGranted) return release();
          asked.giveUp();
          resolve(undefined);
        });
        void asked.granted.then(() => {
          isGranted = true;
          hold();
          if (isClosed) release();
          else resolve(true);
        });
      });
    } finally {
      const left = this.#waiting.get(team)! - 1;
      if (left) this.#waiting.set(team, left);
      else this.#waiting.delete(team);
    }
  }

  /** Disconnects the client when it stops reading this answer. */
  watch(request: FastifyRequest, reply: FastifyReply): void {
    const { socket } = request.raw;
    const taken = { socket, bytes: takenBy(socket), sinceMs: performance.now() };
    this.#watched.add(taken);
    onceClosed(request, reply, () => {
      this.#watched.delete(taken);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    if (this.#watched.size === 0) return;
    const { stallMs, crowdedMs } = this.limits;
    this.#timer ??= setInterval(() => this.#disconnectSlow(), Math.min(stallMs, crowdedMs) / 6).unref();
  }

  #disconnectSlow(): void {
    this.#disconnectStalled();
    if (this.#pool.isFull) this.#makeRoom();
  }

  /** Limits how long a few teams with slow clients can delay the answers of other teams. */
  #makeRoom(): void {
    const most = Math.max(...[...this.#held].map(({ team }) => this.#pool.heldBy(team)));
    const before = performance.now() - this.limits.crowdedMs;
    const old = [...this.#held].filter(({ team, sinceMs }) => this.#pool.heldBy(team) === most && sinceMs <= before);
    for (const { socket } of old) socket.resetAndDestroy();
  }

  #disconnectStalled(): void {
    const now = performance.now();
    for (const taken of this.#watched) {
      const { socket } = taken;
      const bytes = takenBy(socket);
      const waitsForMore = socket.writableLength === 0;
      if (waitsForMore || bytes - taken.bytes >= PIECE_BYTES) Object.assign(taken, { bytes, sinceMs: now });
      // Resets the connection: over HTTP/1.0 a closed connection is the regular end of an answer.
      else if (now - taken.sinceMs >= this.limits.stallMs) socket.resetAndDestroy();
    }
  }
}

/** Bytes that the operating system has taken. */
const takenBy = ({ bytesWritten, writableLength }: Socket): number => bytesWritten - writableLength;

/** Runs `done` once, when the answer was taken or its connection is gone. */
function onceClosed({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply, done: () => void): void {
  const close = (): void => {
    raw.off('close', close);
    socket.off('close', close);
    done();
  };
  // Closing a connection does not close an answer that waits behind another one on it.
  if (raw.destroyed || socket.destroyed) return done();
  raw.once('close', close);
  socket.once('close', close);
}

const tooManyWaiting = (waiting: number): ProblemError =>
  new ProblemError(
    429,
    `${waiting} large answers of your team wait for its clients to read earlier ones. Read those, or request less.`,
    undefined,
    5000,
  );

/** Counts every large answer that is complete in memory, and disconnects clients that do not read theirs. */
export function boundAnswers(fastify: FastifyInstance, memory: AnswerMemory): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    if (request.method === 'HEAD') return payload;
    if (payload instanceof Readable) {
      memory.watch(request, reply);
      return payload;
    }
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
    if (bytes <= SMALL_ANSWER_BYTES) return payload;
    try {
      if (!(await memory.take(request, reply, bytes))) return '';
    } catch (error) {
      return problemInstead(reply, error);
    }
    memory.watch(request, reply);
    void reply.header('content-length', bytes);
    return streamOf(inPieces([typeof payload === 'string' ? Buffer.from(payload) : (payload as Buffer)]));
  });
}

function problemInstead(reply: FastifyReply, error: unknown): string {
  const { problem, retryAfterMs = 0 } = toProblem(error);
  void reply
    .status(problem.status)
    .headers({ 'content-type': 'application/problem+json', 'retry-after': Math.ceil(retryAfterMs / 1000) })
    .removeHeader('content-length');
  return JSON.stringify(problem);
}

/** Splits the bytes so that a socket takes the next chunk when its client has read the previous one. */
export function* inPieces(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES);
}

export const streamOf = (pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Readable =>
  Readable.from(pieces, { objectMode: false, highWaterMark: PIECE_BYTES });
