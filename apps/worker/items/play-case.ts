import type { CaseInput } from '#lib/contracts/case';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { ErrorKind } from '#lib/contracts/run';
import { readModelReply } from '#lib/providers/chat';
import { ProviderFailure } from '#lib/providers/failure';
import { EARLIER_MESSAGES_PLACEHOLDER } from '#lib/scoring/cases/tool-set';
import { DEFAULT_MAX_ROUNDS } from '#lib/scoring/house/score-chain';
import { askModel, keptReply, type Asked } from './ask-model.js';
import type { PreparedCase } from '../scoring/prepare-case.js';
import { Unscorable } from '../scoring/score-reply.js';
import type { Reply, Turn } from '../scoring/scoring-work.js';

/** What came of a case: the replies of its rounds, or the failure that ended it. */
export interface PlayedCase extends Omit<Asked, 'reply' | 'failure'> {
  answers: Reply[] | undefined;
  failure: ProviderFailure | undefined;
  /** Which of `replies` are those of a chain's rounds. */
  rounds?: number[];
}

/**
 * What is stored of a case: all that went over the wire, and for a chain that was played to its end which replies
 * are its rounds'.
 */
export interface Exchange extends Pick<PlayedCase, 'requests' | 'replies' | 'rounds'> {
  /** How many requests were refused, where `replies` holds some of the refusals only. */
  refused?: number;
  /** Tools' own names, which the requests and the calls in `replies` have, by others that went over the wire. */
  names?: Record<string, string>;
}

/**
 * Plays a case: asks once, or for a chain again and again, answering the reply's calls from its mocks, until an
 * expected tool is called, nothing is called, or its rounds run out. Each round passes the lane's budget by itself.
 * A failure in a late round fails the whole.
 * @param answerRound plays the tools of a round; @throws Unscorable
 * @throws the signal's reason when it aborts
 */
export async function playCase(
  { input }: Pick<PreparedCase, 'input'>,
  of: Parameters<typeof askModel>[0],
  answerRound: (reply: Reply, used: Map<string, number>) => Promise<Turn>,
): Promise<PlayedCase> {
  const first = await askModel(of);
  if (!input.multi_turn || !first.reply)
    return { ...first, answers: first.reply && [first.reply], failure: first.failure };
  const played: PlayedCase = {
    ...first,
    answers: [first.reply],
    failure: undefined,
    rounds: [first.replies.length - 1],
  };
  const used = new Map<string, number>();
  const messages = [...(of.body.messages as Json[])];
  for (let reply = first.reply; played.answers!.length < (input.max_rounds ?? DEFAULT_MAX_ROUNDS);) {
    const answered = await answerRound(reply, used).catch((error: unknown) => {
      if (error instanceof Unscorable) return new ProviderFailure(error.kind, error.message, false);
      throw error;
    });
    if (answered instanceof ProviderFailure) return failed(played, answered);
    if (!answered) break;
    const more = turn(reply.message, answered, played.answers!.length);
    messages.push(...more);
    const body = { ...of.body, tool_choice: played.toolChoice, messages: [...messages] };
    const next = await askModel({ ...of, body, toolChoice: played.toolChoice, goesOn: true });
    addUp(played, next, more);
    if (!next.reply) return failed(played, next.failure);
    played.answers!.push((reply = next.reply));
    played.rounds!.push(played.replies.length - 1);
  }
  return played;
}

function failed({ rounds: _rounds, ...played }: PlayedCase, failure: ProviderFailure | undefined): PlayedCase {
  return { ...played, answers: undefined, failure };
}

/** The assistant's message, with its calls in native form whatever form they came in, and a tool's message for each. */
function turn(message: JsonObject, { calls, answers }: NonNullable<Turn>, round: number): JsonObject[] {
  const given = Array.isArray(message.tool_calls) ? (message.tool_calls as JsonObject[]) : [];
  const native = calls.map((call, index) => ({
    ...(given.length === calls.length && given[index]),
    id:
      typeof given[index]?.id === 'string' && given.length === calls.length
        ? given[index].id
        : `call_${round}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments ? JSON.stringify(call.arguments) : (call.raw ?? '') },
  }));
  const { function_call: _old, ...rest } = message;
  return [
    { ...rest, role: 'assistant', content: message.content ?? null, tool_calls: native },
    ...answers.map((content, index): JsonObject => ({ role: 'tool', tool_call_id: native[index]!.id, content })),
  ];
}

/** @param more messages of this round's requests beside those of the rounds before, which are stored once */
function addUp(played: PlayedCase, next: Asked, more: readonly Json[]): void {
  played.attempts += next.attempts;
  played.latencyMs += next.latencyMs;
  played.promptTokens = sum(played.promptTokens, next.promptTokens);
  played.completionTokens = sum(played.completionTokens, next.completionTokens);
  played.toolChoice = next.toolChoice;
  played.refusedRequired ||= next.refusedRequired;
  played.requests.push(
    ...next.requests.map((request, index): Json => ({
      ...(request as JsonObject),
      messages: [EARLIER_MESSAGES_PLACEHOLDER, ...(index === 0 ? more : [])],
    })),
  );
  played.replies.push(...next.replies);
  played.refused += next.refused;
}
const sum = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0);

/**
 * The replies in a stored exchange that are to be scored; undefined where no model answered, or a chain was not
 * played to its end.
 */
export function answersIn({
  replies,
  rounds,
  names,
}: Pick<Exchange, 'replies' | 'rounds' | 'names'>): Reply[] | undefined {
  const answers = (rounds ?? [replies.length - 1]).map((index) => keptReply(replies[index]));
  return answers.every((answer) => answer !== undefined) ? answers.map((answer) => ({ ...answer, names })) : undefined;
}

/** What went wrong where a recording has no reply, in the words of a refusal. */
export function recordedError({ replies }: Pick<Exchange, 'replies'>): { kind: ErrorKind; message: string } {
  const { error } = replies.at(-1) as unknown as { error: { kind: ErrorKind; message: string } };
  return { kind: error.kind, message: error.message };
}

/** The tokens that replies say they took; null where none says it. */
export function tokensIn({ replies }: Pick<Exchange, 'replies'>): Pick<Asked, 'promptTokens' | 'completionTokens'> {
  const said = replies.map(readModelReply);
  const total = (of: 'promptTokens' | 'completionTokens'): number | null =>
    said.reduce<number | null>((all, one) => sum(all, one?.[of] ?? null), null);
  return { promptTokens: total('promptTokens'), completionTokens: total('completionTokens') };
}

/** What a request's key has to say of a chain beside its first request: all that the later ones follow from. */
export const restOfChain = (input: CaseInput): Json =>
  input.multi_turn ? [input.mock_responses ?? null, input.max_rounds ?? null, input.expected_tool ?? null] : null;
