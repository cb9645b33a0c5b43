import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import { ThreadLimitExceeded, ThreadPool } from '#lib/runtime/threads/thread-pool';
import { ProviderFailure } from '../failure.js';
import type { ModelReply } from '../replies/model-reply.js';
import { holdsManyValues } from './count-values.js';
import { SerialisedJson } from './printed-json.js';
import { unreadFailure, type ResponseOrigin } from './read-reply.js';
import { unusableVectors, type Vectors } from './read-vectors.js';
import {
  beginningOf,
  type FailureFacts,
  type SerialisedParts,
  type ReadingResult,
  type ReadingTask,
} from './reading-work.js';

export { decodeUtf8 } from './reading-work.js';

/** Larger responses are read in threads: they may contain hundreds of thousands of values. */
export const LARGE_RESPONSE_BYTES = 256 * 1024;

/** Whether a reply is read in a thread. A host may send many at once that are small but contain many values. */
export const isReadInThread = (reply: Uint8Array): boolean =>
  reply.length > LARGE_RESPONSE_BYTES || holdsManyValues(reply);

/** A parsed reply with the complete body. Its numbers keep their text. A large one stays printed. */
export interface ReadReply extends Omit<ModelReply, 'message'> {
  message: JsonObject | SerialisedJson;
  body: Json | SerialisedJson;
}

/** The threads of this process. They start with the first large response. */
const threads = new ThreadPool<ReadingTask, ReadingResult>(threadModule('libs/providers/reading/reading-thread'), {
  threads: 2,
  cpuMs: 4000,
  wallMs: 60_000,
  heapMb: 256,
});

/**
 * Reads a large 200 of a model, or one with many values.
 * @param turn.group lanes and hosts take turns
 * @throws ProviderFailure, or the signal's reason
 */
export async function readReplyInThread(
  kind: ProviderKind,
  bytes: Uint8Array,
  origin: ResponseOrigin,
  { group, signal }: { group: string; signal: AbortSignal },
): Promise<ReadReply> {
  const giveUp = (why: string): ProviderFailure =>
    unreadFailure(`takes too much to read (${why})`, beginningOf(bytes), origin);
  const result = await run({ what: 'reply', kind, bytes, origin }, group, giveUp, signal);
  if (!('reply' in result)) throw failureOf(result);
  const { message, body, ...reply } = result.reply;
  return { ...reply, message: printed(message), body: printed(body) };
}

const printed = ({ bytes, values }: SerialisedParts): SerialisedJson => new SerialisedJson(bytes, values);

/**
 * Reads a large 200 of an embedding model.
 * @throws ProviderFailure
 */
export async function readVectorsInThread(
  bytes: Uint8Array,
  count: number,
  quote: string | undefined,
  group: string,
): Promise<Vectors> {
  const giveUp = (why: string): ProviderFailure => unusableVectors(`it takes too much to read (${why})`, quote, false);
  const result = await run({ what: 'vectors', bytes, count, quote }, group, giveUp);
  if (!('vectors' in result)) throw failureOf(result);
  return result.vectors;
}

async function run(
  task: ReadingTask,
  group: string,
  giveUp: (why: string) => ProviderFailure,
  signal?: AbortSignal,
): Promise<ReadingResult> {
  try {
    return await threads.run(task, group, signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error instanceof ThreadLimitExceeded ? giveUp(error.message) : ProviderFailure.internal(error);
  }
}

function failureOf(result: ReadingResult): ProviderFailure {
  const { kind, message, retryable, retryAfterMs, status, body, privateBody, isModelMissing, cause } = (
    result as { failure: FailureFacts }
  ).failure;
  const failure = new ProviderFailure(kind, message, retryable, retryAfterMs, status, body);
  return Object.assign(failure, { isModelMissing, privateBody, ...(cause && { cause }) });
}
