import { addUsage, NO_USAGE, type Usage } from '#lib/contracts/cost';
import type { Json } from '#lib/contracts/json/json';
import type { Ways } from '#lib/contracts/learned';
import type { ErrorKind } from '#lib/contracts/run';
import type { PrintedJson } from '#lib/providers/reading/printed-json';
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

/** An exchange that is to be stored. The bodies of large replies are printed already. */
export type NewExchange = Omit<Exchange, 'replies'> & { replies: (Json | PrintedJson)[] };

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

/** What the replies say that they took. */
export const usageIn = ({ replies }: Pick<Exchange, 'replies'>): Usage =>
  addUsage(replies.map((body) => storedReply(body)?.usage ?? NO_USAGE));
