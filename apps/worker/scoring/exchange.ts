import { zstdDecompressSync } from 'node:zlib';
import { addUsage, NO_USAGE, type Usage } from '#lib/contracts/cost';
import { countValues } from '#lib/contracts/json/count-values';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { SettingChanges } from '#lib/contracts/learned';
import type { ErrorKind, ToolChoice } from '#lib/contracts/run-input';
import type { PlayedRound } from '#lib/contracts/conversation-played';
import { joinExchange, partsOf } from '#lib/db/read/exchange-parts';
import type { SerialisedJson } from '#lib/providers/reading/printed-json';
import { storedReplies, storedReply } from '#lib/providers/formats/stored-reply';
import type { ConversationPlayed } from './prepare-case.js';

/** A model's reply, as an OpenAI assistant message. */
export interface Reply {
  message: JsonObject;
  finishReason: string | null;
  /** The tools' own names, by the names that were sent to the model. */
  names?: Record<string, string>;
}

/** A reply in the main thread: the message of a large one is read only in threads. */
export type HeldReply = Omit<Reply, 'message'> & { message: JsonObject | SerialisedJson };

/** The stored exchange of an item: everything sent and received. */
export interface Exchange {
  requests: Json[];
  /** The response bodies, including refusals. */
  replies: Json[];
  /** For a completed chain: the indexes in `replies` of its rounds' replies. */
  rounds?: number[];
  /** How many requests were refused, when `replies` contains only some of the refusals. */
  refused?: number;
  /** Of a conversation: what followed each reply. */
  conversation?: PlayedRound[];
  /** Of the last part of a conversation: the number of its round, from 0; left out for 0. */
  round?: number;
  /** How the conversation ended; left out while it has not. */
  ended?: Omit<ConversationPlayed, 'rounds'>;
  /** The tools' own names, which the requests and the calls in `replies` have, by the names that were sent. */
  names?: Record<string, string>;
  /** Deviations of the request from the run's settings, because the model refuses them. */
  adjusted?: SettingChanges;
}

/** An exchange to be stored. The bodies of large replies are already serialised. */
export type NewExchange = Omit<Exchange, 'replies'> & { replies: (Json | SerialisedJson)[] };

/** The replies in an exchange to be scored; undefined when no model replied, or a chain was not completed. */
export const repliesIn = ({ names, ...bodies }: Pick<Exchange, 'replies' | 'rounds' | 'names'>): Reply[] | undefined =>
  storedReplies(bodies)?.map(({ message, finishReason }) => ({ message, finishReason, names }));

/** The parts of a stored exchange that are read to score it again. The messages of a large one are serialised. */
export interface ReadExchange {
  /** Undefined when no model replied, or a chain was not completed. */
  replies: HeldReply[] | undefined;
  /** It is the exchange of a completed chain. */
  isWholeChain: boolean;
  /** How it was played, of a conversation that ended. */
  conversation?: ConversationPlayed;
  toolChoice: ToolChoice;
  usage: Usage;
  /** Why there is no reply in a recording. */
  error: { kind: ErrorKind; message: string } | undefined;
}

export function readExchange(stored: Exchange): ReadExchange & { replies: Reply[] | undefined } {
  const { conversation, ended } = stored;
  const replies = conversation && !ended ? undefined : repliesIn(stored);
  return {
    replies,
    isWholeChain: stored.rounds !== undefined,
    ...(conversation && ended && { conversation: { rounds: conversation, ...ended } }),
    toolChoice: ((stored.requests.at(-1) as JsonObject | undefined)?.tool_choice ?? 'auto') as ToolChoice,
    usage: usageIn(stored),
    error: replies ? undefined : recordedError(stored),
  };
}

/**
 * Reads a stored exchange, whole or in the parts of a conversation.
 * @param packed as it is stored, or as `wholeExchange` joins it
 * @param most bytes of its JSON, and values in it
 * @returns the limit that it exceeds, which is known before it is parsed
 */
export function readPacked(
  packed: Uint8Array,
  most: { bytes: number; values: number },
): { exchange: ReturnType<typeof readExchange> } | { exceeds: 'bytes' | 'values' } {
  const parts: Buffer[] = [];
  let left = most.bytes;
  for (const part of partsOf(packed)) {
    const json = decompress(part, left);
    if (!json) return { exceeds: 'bytes' };
    left -= json.length;
    parts.push(json);
  }
  // A value takes at least one byte.
  if (most.bytes - left > most.values) {
    let values = 0;
    for (const json of parts) {
      values += countValues(json, { maxValues: most.values - values }).values;
      if (values > most.values) return { exceeds: 'values' };
    }
  }
  const exchange = joinExchange(parts.map((json) => parseJson(json.toString('utf8'))));
  return { exchange: readExchange(exchange as unknown as Exchange) };
}

/** @returns undefined when it has more bytes */
function decompress(packed: Uint8Array, most: number): Buffer | undefined {
  if (most === 0) return undefined;
  try {
    return zstdDecompressSync(packed, { maxOutputLength: most });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

/** The failure of a recording without a reply, in the words of a refusal. */
function recordedError({ replies }: Pick<Exchange, 'replies'>): ReadExchange['error'] {
  const { error } = (replies.at(-1) ?? {}) as { error?: { kind: ErrorKind; message: string } };
  return error && { kind: error.kind, message: error.message };
}

/** The usage reported by the replies. */
const usageIn = ({ replies }: Pick<Exchange, 'replies'>): Usage =>
  addUsage(replies.map((body) => storedReply(body)?.usage ?? NO_USAGE));
