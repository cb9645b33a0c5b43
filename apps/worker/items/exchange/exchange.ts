import type { Json } from '#lib/contracts/json/json';
import type { Ways } from '#lib/contracts/learned';
import type { ErrorKind } from '#lib/contracts/run';
import { storedReplies, storedReply } from '#lib/providers/replies/stored-reply';
import type { Reply } from '../../scoring/scoring-work.js';

/** What is stored of an item: all that went over the wire. */
export interface Exchange {
  requests: Json[];
  /** The bodies that came back, refusals among them. */
  replies: Json[];
  /** Of a chain that was played to its end: which of `replies` are those of its rounds. */
  rounds?: number[];
  /** How many requests were refused, where `replies` holds only some of the refusals. */
  refused?: number;
  /** Tools' own names, which the requests and the calls in `replies` have, by the names that went over the wire. */
  names?: Record<string, string>;
  /** What was sent otherwise than the run has it, because the model refuses it. */
  adjusted?: Ways;
}

interface Tokens {
  promptTokens: number | null;
  completionTokens: number | null;
}

/**
 * The replies in an exchange that are to be scored; undefined where no model replied, or a chain was not played to its
 * end.
 */
export const repliesIn = ({ names, ...bodies }: Pick<Exchange, 'replies' | 'rounds' | 'names'>): Reply[] | undefined =>
  storedReplies(bodies)?.map(({ message, finishReason }) => ({ message, finishReason, names }));

/** What went wrong where a recording has no reply, in the words of a refusal. */
export function recordedError({ replies }: Pick<Exchange, 'replies'>): { kind: ErrorKind; message: string } {
  const { error } = replies.at(-1) as unknown as { error: { kind: ErrorKind; message: string } };
  return { kind: error.kind, message: error.message };
}

/** The tokens that the replies say they took; null where none says it. */
export function tokensIn({ replies }: Pick<Exchange, 'replies'>): Tokens {
  const read = replies.map(storedReply);
  const total = (of: keyof Tokens): number | null =>
    read.reduce<number | null>((sum, reply) => addTokens(sum, reply?.[of] ?? null), null);
  return { promptTokens: total('promptTokens'), completionTokens: total('completionTokens') };
}

/** Adds two counts of tokens; null where neither is known. */
export const addTokens = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0);
