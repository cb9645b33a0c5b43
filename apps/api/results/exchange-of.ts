import { withoutPrivateBody } from '#lib/contracts/failed-body';
import type { JsonObject } from '#lib/contracts/json/json';
import { describeTools } from '#lib/contracts/prompt-components';
import type { ReplyText, ResultWithExchange } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import type { RunConfig } from '#lib/contracts/run-input';
import type { Caller } from '#lib/db/catalogue/callers';
import type { ResultDetails } from '#lib/db/read/results';
import { toRequestTools } from '#lib/providers/build-request';
import { replyTextIn } from '#lib/recorded/reply-text';
import { restoreRequests } from '#lib/scoring/cases/stored-requests';
import { toolSetOf } from '#lib/scoring/cases/tool-set';
import { mergeConversation } from '#lib/scoring/conversation/merge';
import { explainResult } from '#lib/scoring/house/explain-result';

/** The reader of the exchange. */
type Reader = Pick<Caller, 'role'>;

/**
 * Stored requests omit the tools, which are the case's tools with the run's descriptions; a large exchange is returned
 * as stored. Only users who may choose a provider's address may see the response of a private address.
 */
export function exchangeOf(
  { input, suiteTools, exchange }: ResultDetails,
  { config }: Pick<Run, 'config'>,
  { role }: Reader,
): ResultWithExchange['exchange'] {
  if (!exchange) return null;
  const { isLarge, requests, replies, ...rest } = exchange;
  const described = describeTools(suiteTools, (config as Partial<RunConfig>).tool_overrides);
  const whole = isLarge ? requests : restoreRequests(requests, toRequestTools(toolSetOf(input, described)));
  return { requests: whole, replies: role === 'owner' ? replies : replies.map(withoutPrivateBody), ...rest };
}

/** The texts of the model's replies; none if an item is errored, whatever came before the error. */
export const replyTextsOf = ({ result, exchange }: Pick<ResultDetails, 'result' | 'exchange'>): ReplyText[] =>
  exchange && result.outcome === 'scored' ? replyTextIn(exchange) : [];

/** The conversation of a case with what it takes from its suite; undefined for other cases. */
export function conversationOf({ input, defaults }: Pick<ResultDetails, 'input' | 'defaults'>): JsonObject | undefined {
  if (!input.conversation) return undefined;
  try {
    return mergeConversation(input, defaults).conversation as unknown as JsonObject;
  } catch {
    return input.conversation as unknown as JsonObject; // It was errored for this reason.
  }
}

/** A result with its exchange, and an explanation of its verdict. */
export function answerOf(found: ResultDetails, run: Pick<Run, 'config'>, reader: Reader): ResultWithExchange {
  const conversation = conversationOf(found);
  return {
    ...found.result,
    explanation: explainResult(found),
    said: replyTextsOf(found),
    ...(conversation && { conversation }),
    exchange: exchangeOf(found, run, reader),
  };
}
