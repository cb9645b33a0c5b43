import type { Socket } from 'socket.io';
import type { z } from 'zod';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import type { Problem } from '#lib/contracts/input/problem-document';
import { ProblemError } from '#lib/contracts/input/problem';

const MAX_NAME_LENGTH = 100;

export interface PacketHandler<Input, Answer extends { ok: true }> {
  schema: z.ZodType<Input>;
  /** What the packet accepts, for the error message of an invalid one. */
  takes: string;
  handle: (input: Input) => Answer | Promise<Answer>;
  /** @param input the packet, if it passed its schema  @returns the problem that is sent to the client */
  onError: (error: unknown, input: Input | undefined) => Problem;
}

/**
 * Answers a client's packets of one name. Nothing in a packet is used before it passes its schema, and no error leaves
 * this function: an error thrown by a handler would end the process and every connection.
 */
export function answerPackets<Input, Answer extends { ok: true }>(
  socket: Socket,
  name: string,
  { schema, takes, handle, onError }: PacketHandler<Input, Answer>,
): void {
  const answer = async (packet: unknown): Promise<Answer | { ok: false; error: Problem }> => {
    let input: Input | undefined;
    try {
      const parsed = schema.safeParse(packet);
      if (!parsed.success) {
        const faults = toInputErrors(parsed.error.issues);
        const { path, message } = faults[0]!;
        throw new ProblemError(400, `${name} takes ${takes}. ${path || 'The data'} ${message}`, faults);
      }
      input = parsed.data;
      return await handle(input);
    } catch (error) {
      return { ok: false, error: onError(error, input) };
    }
  };
  socket.on(name, (...parts: unknown[]) => {
    const acknowledge = acknowledgementIn(parts);
    answer(parts[0])
      .then((reply) => acknowledge?.(reply))
      .catch((error: unknown) => void onError(error, undefined));
  });
}

/** Refuses packets with any other name, if the client asks for an acknowledgement. */
export function refuseOtherPackets(
  socket: Socket,
  names: readonly string[],
  onError: (error: unknown) => Problem,
): void {
  socket.onAny((name: unknown, ...parts: unknown[]) => {
    if (names.includes(name as string)) return;
    const refusal = new ProblemError(
      404,
      `There is no event "${String(name).slice(0, MAX_NAME_LENGTH)}". Clients can send ${names.join(' and ')}.`,
    );
    acknowledgementIn(parts)?.({ ok: false, error: onError(refusal) });
  });
}

/** Removes the acknowledgement, which Socket.IO passes last, from a packet's arguments. */
export const acknowledgementIn = (parts: unknown[]): ((answer: unknown) => void) | undefined =>
  typeof parts.at(-1) === 'function' ? (parts.pop() as (answer: unknown) => void) : undefined;
