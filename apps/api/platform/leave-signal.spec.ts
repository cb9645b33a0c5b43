import type { FastifyReply } from 'fastify';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { leaveSignal } from './leave-signal.js';

const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
const signalOf = (raw: ServerResponse): AbortSignal => leaveSignal({ raw } as unknown as FastifyReply);

it('a client that has already left, and one that leaves later, abort the signal', () => {
  const [gone, leaves, stays] = [response(), response(), response()];
  gone.destroy();
  const signals = [gone, leaves, stays].map(signalOf);
  leaves.emit('close');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false]);
  expect(signals[0]!.reason).toMatchObject({ status: 408 });
});
