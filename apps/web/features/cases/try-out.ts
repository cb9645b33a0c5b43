import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { z } from 'zod';
import type { Try as TrySchema, TryResult as TryResultSchema } from '#lib/contracts/try';
import { client } from '../../api/client';

export type Try = z.infer<typeof TrySchema>;
export type TryResult = z.infer<typeof TryResultSchema>;

export interface TryOut {
  answer: Try | undefined;
  error: Error | null;
  isPending: boolean;
  /** The last body sent. */
  body: string | undefined;
  start: (body: string) => void;
  /** Cancels the try-out; no further model calls are made. */
  cancel: () => void;
  /** Clears its results. */
  reset: () => void;
}

/**
 * Tries out a case. The request, and with it the try-out, ends when the view is left or it is cancelled. It has no
 * Idempotency-Key, because its results are not stored and could not be replayed.
 */
export function useTryOut(): TryOut {
  const leaving = useRef<AbortController>(undefined);
  const { data, error, isPending, variables, mutate, reset } = useMutation<Try, Error, string>({
    mutationFn: (body) => {
      const { signal } = (leaving.current = new AbortController());
      return client.call<Try>('POST', '/api/tool-eval/try', body, { signal });
    },
  });
  useEffect(() => () => leaving.current?.abort(), []);
  const cancel = (): void => {
    leaving.current?.abort();
    reset();
  };
  return { answer: data, error, isPending, body: variables, start: mutate, cancel, reset };
}
