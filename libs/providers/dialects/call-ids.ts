import { createHash } from 'node:crypto';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';

/** The call ids that a format accepts. */
export interface IdRule {
  /** Characters that are replaced with "_"; undefined if a format accepts all. */
  invalidCharacters?: RegExp;
  maxLength?: number;
  /**
   * Maximum id length before the last user message, where a case's own conversation is. Later ids come from the host
   * itself, which may need them back: some encode a thought in an id.
   */
  maxEarlierLength?: number;
}

const UNUSUAL_CHARACTERS = /[^a-zA-Z0-9_-]/g;
/** Anthropic's error states this pattern and no length. Bedrock and OpenAI's Responses accept 64 characters. */
export const ANTHROPIC_IDS: IdRule = { invalidCharacters: UNUSUAL_CHARACTERS };
export const RESPONSES_IDS: IdRule = { maxLength: 64 };
/** OpenAI and Azure reject more than 40 characters in chat completions. Other hosts produce longer ones. */
export const CHAT_IDS: IdRule = { maxEarlierLength: 40 };
export const GOOGLE_IDS: IdRule = {};

/** A call still without a result. */
interface OpenCall {
  /** Empty if the message has none. */
  given: string;
  sent: string;
}

const HASH_LENGTH = 6;

/**
 * Gives every call of a conversation a unique id that the format accepts, and its result the same one. Hosts omit ids,
 * use one for two calls of a reply, or restart numbering in each round. A result belongs to the nearest earlier message
 * in which a call with its id has no result yet, and there to the first such call. An id that the format accepts is
 * kept for the first call that has it.
 * @returns the same object if all ids stay
 */
export function withUniqueCallIds(body: JsonObject, rule: IdRule): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some((message) => isObject(message) && 'tool_calls' in message))
    return body;
  const lastUser = messages.findLastIndex((message) => isObject(message) && message.role === 'user');
  const ids = new FreeIds(rule, messages, lastUser);
  const open: OpenCall[][] = [];
  let hasChanged = false;
  const changed = messages.map((message, index) => {
    if (!isObject(message)) return message;
    const sent =
      message.role === 'tool' ? withResultId(message, open) : withCallIds(message, ids.ofMessage(index), open);
    hasChanged ||= sent !== message;
    return sent;
  });
  return hasChanged ? { ...body, messages: changed } : body;
}

/** Allocates the ids of a conversation. */
class FreeIds {
  /** Ids that were kept or allocated. */
  readonly #taken = new Set<string>();
  readonly #unused: Set<string>;
  readonly #repeats = new Map<string, number>();

  constructor(
    readonly rule: IdRule,
    messages: readonly Json[],
    readonly lastUser: number,
  ) {
    this.#unused = new Set(
      messages.flatMap((message, index) =>
        isObject(message)
          ? callsIn(message).flatMap(({ id }) =>
              typeof id === 'string' && this.#fit(id, index) === id && id !== '' ? [id] : [],
            )
          : [],
      ),
    );
  }

  /** Ids for the calls of a message, by the given id and the index of the call. */
  ofMessage(index: number) {
    return (given: Json | undefined, call: number): string => {
      const wanted = this.#fit(idIn(given) || `call_${index}_${call}`, index);
      if (wanted === given && this.#unused.delete(wanted)) return this.#take(wanted);
      return this.#isFree(wanted) ? this.#take(wanted) : this.#take(this.#another(wanted, index));
    };
  }

  #another(wanted: string, index: number): string {
    for (;;) {
      const repeat = (this.#repeats.get(wanted) ?? 1) + 1;
      this.#repeats.set(wanted, repeat);
      const id = this.#fit(`${wanted}_${repeat}`, index);
      if (this.#isFree(id)) return id;
    }
  }

  /** The closest id that the format accepts. A shortened one ends in a hash. */
  #fit(id: string, index: number): string {
    const { invalidCharacters, maxLength = Infinity, maxEarlierLength = Infinity } = this.rule;
    const most = index < this.lastUser ? Math.min(maxLength, maxEarlierLength) : maxLength;
    if (id.length <= most) return invalidCharacters ? id.replace(invalidCharacters, '_') : id;
    const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_LENGTH);
    return `${id.slice(0, most - HASH_LENGTH - 1).replace(UNUSUAL_CHARACTERS, '_')}_${hash}`;
  }

  #isFree = (id: string): boolean => !this.#taken.has(id) && !this.#unused.has(id);
  #take = (id: string): string => (this.#taken.add(id), id);
}

const idIn = (id: Json | undefined): string => (id === undefined || id === null ? '' : toText(id));

const listIn = (message: JsonObject, key: string): Json[] => (Array.isArray(message[key]) ? message[key] : []);
const callsIn = (message: JsonObject): JsonObject[] => listIn(message, 'tool_calls').filter(isObject);

function withCallIds(
  message: JsonObject,
  idOf: (given: Json | undefined, call: number) => string,
  open: OpenCall[][],
): JsonObject {
  const calls = callsIn(message);
  if (calls.length === 0) return message;
  const sent = calls.map(({ id }, index) => idOf(id, index));
  open.push(calls.map(({ id }, index) => ({ given: idIn(id), sent: sent[index]! })));
  return PLACES.reduce((changed, place) => withIdsAt(changed, place, sent), message);
}

/** The places of calls in a message: the list of calls, and the original parts of a reply. */
const PLACES = [
  { list: 'tool_calls', isCall: (): boolean => true, key: 'id' },
  { list: 'content_blocks', isCall: ({ type }: JsonObject): boolean => type === 'tool_use', key: 'id' },
  { list: 'output_items', isCall: ({ type }: JsonObject): boolean => type === 'function_call', key: 'call_id' },
];

function withIdsAt(message: JsonObject, { list, isCall, key }: (typeof PLACES)[number], sent: string[]): JsonObject {
  const pieces = listIn(message, list);
  const isCallAt = (piece: Json): piece is JsonObject => isObject(piece) && isCall(piece);
  const calls = pieces.filter(isCallAt);
  if (calls.length !== sent.length || calls.every((call, index) => call[key] === sent[index])) return message;
  let next = 0;
  return { ...message, [list]: pieces.map((piece) => (isCallAt(piece) ? { ...piece, [key]: sent[next++]! } : piece)) };
}

function withResultId(message: JsonObject, open: OpenCall[][]): JsonObject {
  const given = idIn(message.tool_call_id);
  const call = takeCall(open, (id) => id === given) ?? takeCall(open, (id) => id === '' || given === '');
  return call === undefined || call === message.tool_call_id ? message : { ...message, tool_call_id: call };
}

/** @returns the id that was sent for the call; undefined if no open call matches */
function takeCall(open: OpenCall[][], fits: (given: string) => boolean): string | undefined {
  const calls = open.findLast((some) => some.some(({ given }) => fits(given)));
  if (!calls) return undefined;
  const [call] = calls.splice(
    calls.findIndex(({ given }) => fits(given)),
    1,
  );
  return call!.sent;
}
