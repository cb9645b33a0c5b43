import { addUsage, NO_USAGE, type Usage } from '#lib/contracts/cost';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Ways } from '#lib/contracts/learned';
import type { ErrorKind, ToolChoice } from '#lib/contracts/run-input';
import type { PrintedJson } from '#lib/providers/reading/printed-json';
import { storedReplies, storedReply } from '#lib/providers/formats/stored-reply';

/** What a model replied, as an OpenAI assistant message. */
export interface Reply {
  message: JsonObject;
  finishReason: string | null;
  /** Tools' own names, by the names that were sent to the model. */
  names?: Record<string, string>;
}

/** A reply as the main thread holds it: the message of a large one is read in threads alone. */
export type HeldReply = Omit<Reply, 'message'> & { message: JsonObject | PrintedJson };

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

/** What is read of a stored exchange to score it again. The messages of a large one are printed. */
export interface ReadExchange {
  /** Undefined where no model replied, or a chain was not played to its end. */
  replies: HeldReply[] | undefined;
  /** It is of a chain that was played to its end. */
  isWholeChain: boolean;
  toolChoice: ToolChoice;
  usage: Usage;
  /** Why there is no reply in a recording. */
  error: { kind: ErrorKind; message: string } | undefined;
}

export function readExchange(stored: Exchange): ReadExchange & { replies: Reply[] | undefined } {
  const replies = repliesIn(stored);
  return {
    replies,
    isWholeChain: stored.rounds !== undefined,
    toolChoice: ((stored.requests.at(-1) as JsonObject | undefined)?.tool_choice ?? 'auto') as ToolChoice,
    usage: usageIn(stored),
    error: replies ? undefined : recordedError(stored),
  };
}

/** What went wrong where a recording has no reply, in the words of a refusal. */
function recordedError({ replies }: Pick<Exchange, 'replies'>): ReadExchange['error'] {
  const { error } = (replies.at(-1) ?? {}) as { error?: { kind: ErrorKind; message: string } };
  return error && { kind: error.kind, message: error.message };
}

/** What the replies say that they took. */
const usageIn = ({ replies }: Pick<Exchange, 'replies'>): Usage =>
  addUsage(replies.map((body) => storedReply(body)?.usage ?? NO_USAGE));
