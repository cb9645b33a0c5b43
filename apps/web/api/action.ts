import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';

/** What every change is sent with. */
export type Sent = { idempotencyKey: string };

const KEY_BYTES = 16;
/** `crypto.randomUUID` is not available on plain HTTP. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * A mutation by the user. The same input keeps its Idempotency-Key until it succeeds, so that a retry after a lost
 * response neither repeats the change nor pays twice.
 */
export function useAction<Input, Answer>(
  send: (input: Input, options: Sent) => Promise<Answer>,
  onDone?: (answer: Answer, input: Input) => unknown,
): UseMutationResult<Answer, Error, Input> {
  const last = useRef<{ body: string; key: string }>(undefined);
  return useMutation<Answer, Error, Input>({
    mutationFn: (input) => {
      const body = JSON.stringify(input) ?? '';
      if (last.current?.body !== body) last.current = { body, key: newIdempotencyKey() };
      return send(input, { idempotencyKey: last.current.key });
    },
    onSuccess: (answer, input) => {
      last.current = undefined;
      return onDone?.(answer, input);
    },
  });
}
