import type { CaseInput } from '#lib/contracts/case';
import type { Usage } from '#lib/contracts/cost';
import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProviderFailure } from '#lib/providers/failure';
import { SerialisedJson } from '#lib/providers/reading/printed-json';
import { decodeUtf8 } from '#lib/providers/reading/reading-work';
import { runSerially } from '#lib/runtime/threads/large-work';
import { DEFAULT_MAX_ROUNDS } from '#lib/scoring/house/score-chain';
import { EARLIER_MESSAGES_PLACEHOLDER } from '#lib/scoring/cases/stored-requests';
import type { PlayedRound } from '#lib/contracts/conversation-played';
import type { Account } from '#lib/db/engine/store-rounds';
import type { ConversationPlayed, PreparedCase } from '../scoring/prepare-case.js';
import { Unscorable } from '../scoring/score-reply.js';
import type { HeldReply } from '../scoring/exchange.js';
import type { ToolResults } from '../scoring/scoring-work.js';
import { askModel, type AskOptions, type AskResult } from './ask-model.js';
import { isRefusedForReplies } from './refused-round.js';

/** The result of playing a case: the replies of its rounds, or the failure that ended it. */
export interface PlayedCase extends Omit<AskResult, 'reply' | 'failure' | 'usage'> {
  /** One per reply. */
  usages: Usage[];
  replies: HeldReply[] | undefined;
  failure: ProviderFailure | undefined;
  /** The round that the host refuses because of what the model wrote. The chain is scored on the earlier rounds. */
  refusedRound?: ProviderFailure;
  /** The first request as the model accepted it. */
  firstSent: JsonObject;
  /** Indexes in `bodies` of the replies of a chain's rounds. */
  rounds?: number[];
  /** Of a conversation: all else describes its last round alone, but `replies`. */
  conversation?: LastRound;
}

/** How a conversation ended in this process. */
export interface LastRound {
  /** From 0 */
  round: number;
  /** What its earlier rounds took and cost. */
  before: Account;
  /** What followed each reply, of all rounds. */
  rounds: PlayedRound[];
  /** What followed the reply of the last round; undefined if there was none. */
  last?: PlayedRound;
  ended?: Omit<ConversationPlayed, 'rounds'>;
}

/** Whether a case asks its model again, with the answers of its tools. */
export const hasRounds = ({ multi_turn, conversation }: CaseInput): boolean =>
  multi_turn === true || conversation !== undefined;

/**
 * Runs the tools of a round from their mocks. It counts the calls of each tool in `callCounts`.
 * @returns undefined at the end of the chain
 * @throws Unscorable
 */
export type RunTools = (reply: HeldReply, callCounts: Map<string, number>) => Promise<ToolResults | undefined>;

/**
 * Plays a case. A single-turn case sends one request. A chain sends further requests with the results of the reply's
 * calls, until an expected tool is called, nothing is called, or its rounds run out. Each round takes its own permit
 * from the lane's budget. A failure in a later round fails the whole case, unless the host refuses the model's own
 * calls.
 * @throws the signal's reason when it aborts
 */
export async function playCase(
  { input }: Pick<PreparedCase, 'input'>,
  options: AskOptions,
  runTools: RunTools,
): Promise<PlayedCase> {
  const { reply, failure, usage, ...first } = await askModel(options);
  const asked = { ...first, usages: reply ? [usage] : [], firstSent: first.sent };
  if (!reply) return { ...asked, replies: undefined, failure };
  if (!input.multi_turn) return { ...asked, replies: [reply], failure: undefined };
  return playRounds({ ...asked, replies: [reply], failure: undefined }, input, options, runTools);
}

async function playRounds(
  first: PlayedCase & { replies: HeldReply[] },
  { max_rounds = DEFAULT_MAX_ROUNDS }: CaseInput,
  options: AskOptions,
  runTools: RunTools,
): Promise<PlayedCase> {
  const played = { ...first, rounds: [first.bodies.length - 1] };
  const callCounts = new Map<string, number>();
  const messages = [...(options.body.messages as Json[])];
  const written: JsonObject[] = [];
  for (let reply = first.replies[0]!; played.replies.length < max_rounds;) {
    const results = await runTools(reply, callCounts).catch((error: unknown) => {
      if (error instanceof Unscorable) return new ProviderFailure(error.kind, error.message, false);
      throw error;
    });
    if (results instanceof ProviderFailure) return failed(played, results);
    if (!results) break;
    const message = await messageOf(reply);
    if (message instanceof ProviderFailure) return failed(played, message);
    const newMessages = messagesOf(message, results, played.replies.length);
    messages.push(...newMessages);
    written.push(newMessages[0]!);
    const body = { ...options.body, messages: [...messages] };
    const next = await askModel({ ...options, body, isContinuation: true });
    addRound(played, next, newMessages);
    if (!next.reply) {
      const given = messages.filter((message) => !written.includes(message as JsonObject));
      return isRefusedForReplies(next.failure, given, written)
        ? { ...played, refusedRound: next.failure }
        : failed(played, next.failure);
    }
    played.replies.push((reply = next.reply));
    played.rounds.push(played.bodies.length - 1);
  }
  return played;
}

function failed({ rounds: _rounds, ...played }: PlayedCase, failure: ProviderFailure | undefined): PlayedCase {
  return { ...played, replies: undefined, failure };
}

/** The maximum number of values in a large message that is sent back to its model: more would hold up other items. */
const MAX_SENT_BACK_VALUES = 100_000;

/** The message of a reply, to be sent back. */
export async function messageOf({ message }: HeldReply): Promise<JsonObject | ProviderFailure> {
  if (!(message instanceof SerialisedJson)) return message;
  const { bytes, values } = message;
  if (values <= MAX_SENT_BACK_VALUES)
    return runSerially(() => parseJson(decodeUtf8(bytes)) as JsonObject, bytes.length);
  return new ProviderFailure(
    'unscorable',
    `The reply holds ${values.toLocaleString('en')} values. One of more than ` +
      `${MAX_SENT_BACK_VALUES.toLocaleString('en')} is not sent back to its model, so the chain ends here.`,
    false,
  );
}

/**
 * The messages that a round adds to the conversation: the assistant's message, with its calls in native form whatever
 * form they had, and a tool message for each of them.
 */
export function messagesOf(message: JsonObject, { calls, results }: ToolResults, round: number): JsonObject[] {
  const sent = Array.isArray(message.tool_calls) ? (message.tool_calls as JsonObject[]) : [];
  const isNative = sent.length === calls.length;
  const toolCalls = calls.map((call, index) => ({
    ...(isNative && sent[index]),
    id: isNative && typeof sent[index]?.id === 'string' ? sent[index].id : `call_${round}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments ? JSON.stringify(call.arguments) : (call.raw ?? '') },
  }));
  const { function_call: _legacy, ...rest } = message;
  return [
    { ...rest, role: 'assistant', content: message.content ?? null, tool_calls: toolCalls },
    ...results.map((content, index): JsonObject => ({ role: 'tool', tool_call_id: toolCalls[index]!.id, content })),
  ];
}

/** @param newMessages of this round's first request; the messages of earlier rounds are stored once */
function addRound(played: PlayedCase, next: AskResult, newMessages: readonly Json[]): void {
  played.attempts += next.attempts;
  played.latencyMs += next.latencyMs;
  if (next.reply) played.usages.push(next.usage);
  played.sent = next.sent;
  played.adjusted = { ...played.adjusted, ...next.adjusted };
  played.requests.push(
    ...next.requests.map((request, index): Json => ({
      ...(request as JsonObject),
      messages: [EARLIER_MESSAGES_PLACEHOLDER, ...(index === 0 ? newMessages : [])],
    })),
  );
  played.bodies.push(...next.bodies);
  played.refused += next.refused;
}

/** Extra inputs of a chain's cache key: everything that later requests depend on. */
export const restOfChain = (input: CaseInput): Json =>
  input.conversation
    ? [input.conversation as unknown as Json]
    : input.multi_turn
      ? [input.mock_responses ?? null, input.max_rounds ?? null, input.expected_tool ?? null]
      : null;
