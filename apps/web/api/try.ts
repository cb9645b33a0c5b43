import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Try as TrySchema, TryResult as TryResultSchema } from '#lib/contracts/try';
import type { z } from 'zod';
import { client } from './client';

export type Try = z.infer<typeof TrySchema>;
export type TryResult = z.infer<typeof TryResultSchema>;

export interface TryOut {
  answer: Try | undefined;
  error: Error | null;
  isPending: boolean;
  /** What was sent last. */
  body: string | undefined;
  start: (body: string) => void;
  /** Ends it; its models are asked no more. */
  cancel: () => void;
  /** Forgets what it said. */
  reset: () => void;
}

/**
 * Tries a case out. The request ends with the view, or when it is cancelled, and with it the try-out: it has no
 * Idempotency-Key, because nothing of it could be given again.
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
