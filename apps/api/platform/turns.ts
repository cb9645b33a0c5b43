import type { FastifyInstance, FastifyRequest } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Pool } from '#lib/db/connection/pool';
import { withTurn } from '#lib/runtime/held-turn';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import type { CallerRequest } from './decorators.js';
import { Upload } from './upload.js';

/** The share of the API's connections to Postgres that the requests of one team have at a time, and its changes. */
export const SHARE_OF_TEAM = 0.3;
const MOST_WAITING = 300;
/** Entries of a list. Beyond so many, it is a long one. */
const SHORT_LIST = 50;
const MAX_REST_MS = 250;

/**
 * Lets so many requests of a team at a time do their work, from when their body is read until their answer is there or
 * begins to stream. The others wait in the line of their team, so that no other team waits for them. Work that comes to
 * a line of its own (any `KeyedSemaphore`, changes too) leaves this one. A file that is still arriving takes no turn.
 * Long lists of a team come one after the other, and those that wait do so for as long again as the one before took:
 * however many clients ask for them, they take half of the event loop, which everybody's requests need.
 */
export function takeTurns(fastify: FastifyInstance, pool: Pool): void {
  const line = new KeyedSemaphore(
    Math.max(1, Math.floor(SHARE_OF_TEAM * pool.options.max)),
    MOST_WAITING,
    `${MOST_WAITING} requests of your team wait for others of it, the most that may. Ask again in a few seconds.`,
  );
  const longLists = new KeyedSemaphore(
    1,
    MOST_WAITING,
    `${MOST_WAITING} long lists of your team wait for others of it, the most that may. Ask again in a few seconds.`,
  );
  const turns = new WeakMap<FastifyRequest, () => void>();
  fastify.addHook('preHandler', (request: CallerRequest, _reply, done) => {
    const { caller, body } = request;
    if (!caller || body instanceof Upload) return done();
    const begin = (end: () => void): void => {
      turns.set(request, end);
      if (!request.raw.socket.destroyed) return withTurn(end, done);
      end();
      done(new ProblemError(408, 'The client left.'));
    };
    const turn = () => new Promise<void>(begin);
    const turnAndRest = async () => {
      const beganMs = performance.now();
      await turn();
      if (longLists.isAwaited(caller.teamId)) await delay(Math.min(MAX_REST_MS, performance.now() - beganMs));
    };
    (isLongList(request) ? longLists.run(caller.teamId, turnAndRest) : line.run(caller.teamId, turn)).catch(done);
  });
  const end = async (request: FastifyRequest): Promise<void> => turns.get(request)?.();
  fastify.addHook('onSend', end);
  fastify.addHook('onResponse', end);
}

const isLongList = ({ method, query }: FastifyRequest): boolean =>
  method === 'GET' && Number((query as { limit?: unknown }).limit) > SHORT_LIST;
