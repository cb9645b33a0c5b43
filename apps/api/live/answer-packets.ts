import type { Socket } from 'socket.io';
import type { z } from 'zod';
import { inputFaults } from '#lib/contracts/input/input-faults';
import { ProblemError, type Problem } from '#lib/contracts/problem';

const LONGEST_NAME = 100;

export interface PacketHandler<Input, Answer extends { ok: true }> {
  schema: z.ZodType<Input>;
  /** What the packet takes, for whoever sent something else. */
  takes: string;
  handle: (input: Input) => Answer | Promise<Answer>;
  /** What was thrown, and where the schema took it, the packet. @returns what its sender is told */
  onError: (error: unknown, input: Input | undefined) => Problem;
}

/**
 * Answers a client's packets of one name. Nothing that a packet holds is looked at before its schema took it, and
 * nothing that goes wrong leaves this function: what a handler throws would end the process, with everybody's
 * connections.
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
        const faults = inputFaults(parsed.error.issues);
        const { path, message } = faults[0]!;
        throw new ProblemError(400, `${name} takes ${takes}. ${path || 'What was sent'} ${message}`, faults);
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
      .then((said) => acknowledge?.(said))
      .catch((error: unknown) => void onError(error, undefined));
  });
}

/** Answers packets of names that nobody listens to, where an answer is asked for. */
export function refuseOtherPackets(
  socket: Socket,
  names: readonly string[],
  onError: (error: unknown) => Problem,
): void {
  socket.onAny((name: unknown, ...parts: unknown[]) => {
    if (names.includes(name as string)) return;
    const refusal = new ProblemError(
      404,
      `There is no event "${String(name).slice(0, LONGEST_NAME)}" to send. There are ${names.join(' and ')}.`,
    );
    acknowledgementIn(parts)?.({ ok: false, error: onError(refusal) });
  });
}

/** It is the last thing in a packet, whatever stands before it; taken out of it. */
const acknowledgementIn = (parts: unknown[]): ((answer: unknown) => void) | undefined =>
  typeof parts.at(-1) === 'function' ? (parts.pop() as (answer: unknown) => void) : undefined;
