import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

// The exchange of a conversation is kept in parts, one a round. Whoever reads one gets the parts in one value: a byte
// that begins no zstd frame, and then each part behind its length, because a decompressor reads only the first of
// several frames.

const JOINED = 1;

/** SQL: an exchange with the rounds of its conversation, if it has any; as it is otherwise. */
export const wholeExchange = (exchange: string): string => `coalesce(
  (SELECT '\\x01'::bytea || string_agg(int4send(octet_length(body)) || body, ''::bytea ORDER BY round)
   FROM conversation_round p
   WHERE (p.run_id, p.target, p.case_position, p.sample) =
     (${exchange}.run_id, ${exchange}.target, ${exchange}.case_position, ${exchange}.sample))
  || CASE WHEN octet_length(${exchange}.body) > 0
    THEN int4send(octet_length(${exchange}.body)) || ${exchange}.body ELSE ''::bytea END,
  ${exchange}.body)`;

/** Whether an exchange is made of parts, if only of one. */
export const isJoined = (packed: Uint8Array): boolean => packed[0] === JOINED;

/** The parts of an exchange, each zstd of JSON; one of an exchange that is kept whole. */
export function partsOf(packed: Uint8Array): Uint8Array[] {
  if (!isJoined(packed)) return [packed];
  const parts: Uint8Array[] = [];
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 1; at < packed.length;) {
    const length = view.getUint32(at);
    parts.push(packed.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return parts;
}

/** @param earlier parts of an exchange */
export function joinParts(earlier: readonly Uint8Array[], last: Uint8Array): Buffer {
  if (earlier.length === 0) return Buffer.from(last);
  const framed = [...earlier, last].filter(({ length }) => length > 0).flatMap((part) => [lengthOf(part), part]);
  return Buffer.concat([Buffer.of(JOINED), ...framed]);
}

function lengthOf({ length }: Uint8Array): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/**
 * The whole exchange of a conversation. `next` of a part are the messages that follow its reply: they are kept with
 * it, and shown in the request that they were sent with. A last part of an earlier round than those before it is of a
 * conversation that failed then, and was resumed: it is left out.
 */
export function joinExchange(parts: readonly Json[]): Json {
  const [first] = parts;
  if (parts.length === 1 && isObject(first) && !('next' in first)) return first;
  const whole: JsonObject = {};
  const requests: Json[] = [];
  const replies: Json[] = [];
  const rounds: Json[] = [];
  const conversation: Json[] = [];
  let refused = 0;
  let adds: Json[] = [];
  for (const [index, part] of parts.entries()) {
    if (!isObject(part) || isStale(part, index)) continue;
    const { next, account: _account, adjusted, round: _round, ...rest } = part;
    Object.assign(
      whole,
      rest,
      adjusted && { adjusted: { ...(whole.adjusted as JsonObject), ...(adjusted as JsonObject) } },
    );
    requests.push(
      ...listOf(part.requests).map((request, index) => (index === 0 ? withMessages(request, adds) : request)),
    );
    rounds.push(...listOf(part.rounds).map((index) => Number(index) + replies.length));
    replies.push(...listOf(part.replies));
    conversation.push(...listOf(part.conversation));
    refused += Number(part.refused ?? 0);
    adds = listOf(next);
  }
  return { ...whole, requests, replies, rounds, conversation, ...(refused > 0 && { refused }) };
}

const isStale = (part: JsonObject, before: number): boolean => !('next' in part) && Number(part.round ?? 0) < before;

function withMessages(request: Json, adds: readonly Json[]): Json {
  if (!isObject(request) || adds.length === 0) return request;
  return { ...request, messages: [...listOf(request.messages), ...adds] };
}
