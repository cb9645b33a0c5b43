import type { FastifyInstance, FastifyRequest } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Pool } from '#lib/db/connection/pool';
import { runWithTurn } from '#lib/runtime/held-turn';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { routeOptions, type CallerRequest } from './decorators.js';
import { Upload } from './upload.js';

/**
 * The share of the API's Postgres connections that the requests of one team may use at a time, and its changes as well.
 */
export const SHARE_OF_TEAM = 0.3;
const MAX_WAITING = 300;
/** Maximum number of entries of a short list. */
const SHORT_LIST = 50;
const MAX_REST_MS = 250;

/**
 * Limits how many requests of a team are processed at a time, from when their body is read until their answer is
 * complete or begins to stream. The others wait in their team's queue, so that they delay no other team. Work that
 * enters a queue of its own (any `KeyedSemaphore`, including changes) leaves this one. A file that is still arriving
 * takes no turn. Long lists of a team run one at a time, each followed by a pause as long as the list took while others
 * wait: however many clients request them, they use at most half of the event loop that all requests share. The
 * requests to an open route count as one team.
 */
export function takeTurns(fastify: FastifyInstance, pool: Pool): void {
  const line = new KeyedSemaphore(
    Math.max(1, Math.floor(SHARE_OF_TEAM * pool.options.max)),
    MAX_WAITING,
    `${MAX_WAITING} requests of your team are queued already (the limit). Try again in a few seconds.`,
  );
  const longLists = new KeyedSemaphore(
    1,
    MAX_WAITING,
    `${MAX_WAITING} long lists of your team are queued already (the limit). Try again in a few seconds.`,
  );
  const turns = new WeakMap<FastifyRequest, () => void>();
  fastify.addHook('preHandler', (request: CallerRequest, _reply, done) => {
    const { caller, body } = request;
    if (body instanceof Upload) return done();
    const team = caller?.teamId ?? (routeOptions(request).open && request.routeOptions.url);
    if (team === undefined) return done();
    const begin = (end: () => void): void => {
      turns.set(request, end);
      if (!request.raw.socket.destroyed) return runWithTurn(end, done);
      end();
      done(new ProblemError(408, 'The client left.'));
    };
    const turn = () => new Promise<void>(begin);
    const turnAndRest = async () => {
      const beganMs = performance.now();
      await turn();
      if (longLists.hasWaiting(team)) await delay(Math.min(MAX_REST_MS, performance.now() - beganMs));
    };
    (isLongList(request) ? longLists.run(team, turnAndRest) : line.run(team, turn)).catch(done);
  });
  const end = async (request: FastifyRequest): Promise<void> => turns.get(request)?.();
  fastify.addHook('onSend', end);
  fastify.addHook('onResponse', end);
}

const isLongList = ({ method, query }: FastifyRequest): boolean =>
  method === 'GET' && Number((query as { limit?: unknown }).limit) > SHORT_LIST;
