import type { ProviderKind } from '#lib/contracts/provider';
import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { DIALECTS } from '../formats/formats.js';
import { ProviderFailure } from '../failure.js';
import type { ModelReply } from '../replies/model-reply.js';
import { countValues } from '#lib/contracts/json/count-values';
import { exceededBound, tooManyValues } from './count-values.js';
import { readReply, unreadFailure, type ResponseOrigin } from './read-reply.js';
import { readVectors, unusableVectors, type Vectors } from './read-vectors.js';

/** The maximum number of values in a reply that is parsed. A model that does its task writes a few hundred. */
export const MAX_REPLY_VALUES = 1_000_000;
/** The maximum number of values in a response with embeddings: 16 MiB of plain numbers are two million. */
const MAX_VECTOR_VALUES = 2_000_000;

/** The failure of a response that is too large to be read contains this much of its start: 100,000 characters. */
const BEGINNING_BYTES = 400_000;

export type ReadingTask =
  | { what: 'reply'; kind: ProviderKind; bytes: Uint8Array; origin: ResponseOrigin }
  | { what: 'vectors'; bytes: Uint8Array; count: number; quote: string | undefined };

/** A `PrintedJson`, which loses its class between threads. */
export interface SerialisedParts {
  bytes: Uint8Array<ArrayBuffer>;
  values: number;
}

export type ReadingResult =
  | { reply: Omit<ModelReply, 'message'> & { message: SerialisedParts; body: SerialisedParts } }
  | { vectors: Vectors }
  | { failure: FailureFacts };

/** A `ProviderFailure`, which loses its class between threads. */
export type FailureFacts = Pick<
  ProviderFailure,
  'kind' | 'message' | 'retryable' | 'retryAfterMs' | 'status' | 'body' | 'privateBody' | 'isModelMissing'
> & { cause?: { message: string; stack?: string } };

/** Drops a byte order mark, and replaces bytes that are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The start of a response, for the failure to read it. */
export const beginningOf = (bytes: Uint8Array): string => decodeUtf8(bytes.subarray(0, BEGINNING_BYTES));

/** Runs a task in a thread. */
export function runReadingTask(task: ReadingTask): ReadingResult {
  try {
    return task.what === 'reply' ? readLargeReply(task) : readLargeVectors(task);
  } catch (error) {
    if (error instanceof ProviderFailure) return { failure: factsOf(error) };
    throw error;
  }
}

function readLargeReply({ kind, bytes, origin }: Extract<ReadingTask, { what: 'reply' }>): ReadingResult {
  const excess = exceededBound(bytes, MAX_REPLY_VALUES);
  if (excess) throw unreadFailure(excess, beginningOf(bytes), origin);
  const { message, body, ...rest } = readReply(DIALECTS[kind], decodeUtf8(bytes), origin);
  if (argumentValues(message) > MAX_REPLY_VALUES)
    throw unreadFailure(tooManyValues(MAX_REPLY_VALUES), beginningOf(bytes), origin);
  return {
    reply: { ...rest, message: serialise(stringifyInSourceOrder(message)), body: serialise(JSON.stringify(body)) },
  };
}

/** The approximate number of values in the arguments of all calls, which are JSON in a string. */
function argumentValues({ tool_calls: calls }: JsonObject): number {
  let values = 0;
  for (const call of Array.isArray(calls) ? calls : []) {
    const made = isObject(call) && isObject(call.function) ? call.function.arguments : undefined;
    if (typeof made === 'string' && made.length > 2) values += countValues(new TextEncoder().encode(made)).values;
    if (values > MAX_REPLY_VALUES) break;
  }
  return values;
}

function serialise(json: string): SerialisedParts {
  const bytes = new TextEncoder().encode(json);
  return { bytes, values: countValues(bytes).values };
}

function readLargeVectors({ bytes, count, quote }: Extract<ReadingTask, { what: 'vectors' }>): ReadingResult {
  const excess = exceededBound(bytes, MAX_VECTOR_VALUES);
  if (excess) throw unusableVectors(`it ${excess}`, quote, false);
  return { vectors: readVectors(decodeUtf8(bytes), count, quote) };
}

function factsOf(failure: ProviderFailure): FailureFacts {
  const { kind, message, retryable, retryAfterMs, status, body, privateBody, isModelMissing } = failure;
  const cause = failure.cause instanceof Error ? failure.cause : undefined;
  return {
    ...{ kind, message, retryable, retryAfterMs, status, body, privateBody, isModelMissing },
    ...(cause && { cause: { message: cause.message, stack: cause.stack } }),
  };
}

/** The buffers of a result, which are transferred to the other thread. */
export const buffersOf = (result: ReadingResult): ArrayBuffer[] =>
  'reply' in result
    ? [result.reply.message.bytes.buffer, result.reply.body.bytes.buffer]
    : 'vectors' in result
      ? result.vectors.vectors.map(({ buffer }) => buffer as ArrayBuffer)
      : [];
