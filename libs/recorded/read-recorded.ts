import { NO_USAGE, type Usage } from '#lib/contracts/cost';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { readAnthropicReply } from '#lib/providers/formats/anthropic/reply';
import { failedGeneration } from '#lib/providers/replies/failed-generation';
import {
  errorIn,
  failureOf,
  isHostFailure,
  kindOfFailure,
  type HostFailure,
} from '#lib/providers/replies/host-failure';
import { endedReply, type ModelReply, type ReplyFormat, type ReplyReader } from '#lib/providers/replies/model-reply';
import { readBody, REPLY_FORMATS } from '#lib/providers/formats/read-body';
import type { ErrorKind } from '#lib/contracts/run-input';
import { wordSet } from '#lib/contracts/word-set';
import { batchIdOf, outcomeIn } from './batch-line.js';
import { isPrinted } from './printed-value.js';
import { readCall, shorten, toToolCall } from './read-call.js';
import { hasToolUse, isMessage, notAReplyError, readMessages, readOwnMessage, toRounds } from './read-messages.js';
import { readCohereReply, readConverseReply, readGenerations, readOneMessage, readSdkReply } from './read-response.js';

/** A model's reply, read from a record of any supported shape. */
export interface Recorded {
  /**
   * One assistant message per round, in OpenAI's format, the input of `parseReply`. Its `finish_reason` says how it
   * ended, if the record does.
   */
  rounds: JsonObject[];
  /** The shape of the record: `openai.chat`, `ragas.multi_turn_sample`. Toolmark's own is `toolmark.message`. */
  readAs: string;
  /** In tokens, if the record has it. */
  usage?: RecordedUsage;
}

/** In OpenAI's terms, except for cached tokens, which use Anthropic's terms with its two durations. */
interface RecordedUsage {
  prompt_tokens: number;
  completion_tokens: number;
  prompt_tokens_details?: { cached_tokens: number };
  cache_creation?: { ephemeral_5m_input_tokens: number | null; ephemeral_1h_input_tokens: number | null };
  completion_tokens_details?: { reasoning_tokens: number };
}

/** A record of a request that failed at its provider, in the terms of a run. */
export class FailedReply extends Error {
  constructor(
    readonly kind: ErrorKind,
    message: string,
  ) {
    super(message);
  }
}

interface Shape extends Pick<ReplyFormat, 'readAs' | 'looks'> {
  /** Returns undefined if the record has another shape. @throws Error if it has this shape but no reply */
  read(value: JsonObject): (Pick<Recorded, 'rounds' | 'usage'> & { readAs?: string }) | undefined;
}

/** Tried in this order. */
const SHAPES: readonly Shape[] = [
  { readAs: 'batch.line', looks: 'a line of a batch {custom_id, response: {body}}', read: ofBatchLine },
  { readAs: 'inspect.sample', looks: 'a sample of Inspect {messages, output: {choices}}', read: ofInspect },
  ...Object.values(REPLY_FORMATS).map(({ read, ...shape }) => ({
    ...shape,
    read: read === readAnthropicReply ? ofAnthropic : ofBody(read),
  })),
  {
    readAs: 'bedrock.converse',
    looks: 'an answer of Bedrock {output: {message}}',
    read: ofBody(readConverseReply),
  },
  { readAs: 'langchain.llm_result', looks: 'an LLMResult {generations: [[...]]}', read: ofBody(readGenerations) },
  { readAs: 'ai_sdk.result', looks: 'a result of the AI SDK {text, toolCalls}', read: ofBody(readSdkReply) },
  { readAs: 'cohere.chat', looks: "Cohere's {text, tool_calls, generation_id}", read: ofBody(readCohereReply) },
  { readAs: 'one_message', looks: 'a message and its end {message, finish_reason}', read: ofBody(readOneMessage) },
  {
    readAs: 'ragas.multi_turn_sample',
    looks: 'a Ragas sample {user_input: [...]}',
    read: ({ user_input: list }) => (Array.isArray(list) ? { rounds: ofList(list, 'user_input').rounds } : undefined),
  },
  { readAs: 'deepeval.test_case', looks: 'a DeepEval test case {tools_called: [...]}', read: ofDeepEval },
  {
    readAs: 'agentevals.outputs',
    looks: "agentevals' {outputs: [...]}",
    read: ({ outputs }) =>
      outputs === undefined ? undefined : { rounds: ofList(requireList(outputs, 'outputs'), 'outputs').rounds },
  },
  {
    readAs: 'openai.messages',
    looks: 'a conversation [...] or {messages: [...]}',
    read: ({ messages }) => (Array.isArray(messages) ? ofList(messages, 'messages') : undefined),
  },
];
const SHAPE_DESCRIPTIONS = ['a chat message {content, tool_calls}', 'a text', ...SHAPES.map(({ looks }) => looks)].join(
  ', ',
);

/**
 * Reads a model's reply from a provider's response or a record of another tool. It looks only at known levels, never
 * deeper: `parseReply` judges the arguments of a call.
 * @throws Error that explains why there is no reply to score, or which shapes were tried
 */
export function readRecorded(value: unknown): Recorded {
  if (value === undefined) throw new Error(`Nothing is recorded. Supported shapes: ${SHAPE_DESCRIPTIONS}.`);
  if (typeof value === 'string') return ofText(value);
  if (Array.isArray(value)) {
    refuseStream(value[0] as Json);
    if (isObject(value[0]) && Array.isArray(value[0].candidates)) throw new Error(STREAM);
    if (value.length === 0) throw new Error('It is an empty list: there is no reply.');
    if (value.every(isMessage)) return ofList(value, 'message ');
    if (value.every(isOutputItem)) return readRecorded({ output: value });
    throw unknownShapeError(value as Json);
  }
  if (!isObject(value)) throw unknownShapeError(value as Json);
  if (Object.keys(value).length === 0)
    throw new Error('It is an empty object: there is no reply. A model that said nothing is {"content": null}.');
  refuseStream(value);
  const failed = batchIdOf(value) === undefined && inError(value);
  if (failed) return failed;
  if (value.type === 'function_call') return readRecorded([value]);
  for (const { readAs, read } of SHAPES) {
    const found = read(value);
    if (found) return { readAs, ...found };
  }
  refuseFile(value);
  if (isMessage(value) && value.role === undefined)
    return { readAs: 'langchain.messages', rounds: toRounds(readMessages([value], 'message ').messages) };
  if (isMessage(value) || ['content', 'tool_calls', 'function_call'].some((key) => value[key] !== undefined))
    return { readAs: hasToolUse(value) ? 'anthropic.messages' : 'toolmark.message', rounds: ended(value) };
  throw unknownShapeError(value);
}

/** Reads a message; its `finish_reason` may say how it ended, in the terms of any host. */
function ended(value: JsonObject): JsonObject[] {
  const { finish_reason: reason, ...message } = readOwnMessage(value);
  if (reason === undefined) return [message];
  const read = endedReply({ message, usage: NO_USAGE }, reason);
  if (isHostFailure(read)) throw failedReply(read);
  return recordedReply(read).rounds;
}

const isOutputItem = (item: unknown): boolean =>
  isObject(item) && (item.type === 'function_call' || item.type === 'reasoning' || item.type === 'message');

/** Whether a record has another tool's shape, so that only part of it was used. */
export const isForeign = (readAs: string): boolean => !readAs.startsWith('toolmark.');

function ofText(text: string): Recorded {
  if (/^(?:event: \w|data: ?\{)/.test(text)) throw new Error(STREAM);
  if (/^\s*\{\s*"/.test(text) && isWholeAnswer(text))
    throw new Error('It is the text of a whole answer: send it as JSON, not as a string.');
  if (/^\s*"\s*(?:[[{]|\\")/.test(text) && typeof jsonIn(text) === 'string')
    throw new Error('It is JSON encoded twice: send the inner text, or the JSON itself.');
  if (isPrinted(text))
    throw new Error('It is a printed reply object: send its JSON (model_dump_json(), JSON.stringify(...)).');
  return { readAs: 'toolmark.message', rounds: [{ role: 'assistant', content: text }] };
}

/** Whether a text is the JSON of a provider's whole response. */
function isWholeAnswer(text: string): boolean {
  const value = jsonIn(text);
  if (!isObject(value)) return false;
  const [choice, candidate] = [value.choices, value.candidates].map((list) =>
    Array.isArray(list) ? list[0] : undefined,
  );
  return (
    value.object === 'response' ||
    (value.type === 'message' && Array.isArray(value.content)) ||
    (isObject(choice) && isObject(choice.message)) ||
    (isObject(candidate) && isObject(candidate.content))
  );
}

function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Reads a provider's response as a run reads it. */
function ofBody(reader: ReplyReader) {
  return (body: JsonObject) => {
    const read = readBody(body, [reader]);
    if (!read) return undefined;
    if (isHostFailure(read)) throw failedReply(read);
    return recordedReply(read);
  };
}

/** The line's own fields tell the outcome of the request; the reply is the body within, in any shape. */
function ofBatchLine(line: JsonObject) {
  const outcome = batchIdOf(line) === undefined ? undefined : outcomeIn(line);
  if (!outcome) return undefined;
  const { body, failed } = outcome;
  const unread = failed && failedGeneration(failed.error);
  if (unread) return recordedReply(unread);
  if (failed) throw failedReply(failureOf(failed.error, failed.status));
  if (isObject(body) && batchIdOf(body) !== undefined) throw new Error('It is a line of a batch in another one.');
  return readRecorded(body);
}

function failedReply({ failed: { message, status, error } }: HostFailure): FailedReply {
  if (status === undefined) return new FailedReply('bad_response', message);
  const kind = kindOfFailure(status, `${message.slice(0, 1000)} ${JSON.stringify(error ?? null).slice(0, 4000)}`);
  return new FailedReply(kind, `The provider failed while it answered: ${message.slice(0, MAX_REASON_LENGTH)}`);
}

function ofAnthropic(answer: JsonObject) {
  if (answer.type === 'message') {
    if (answer.role !== undefined && answer.role !== 'assistant') throw notAReplyError(answer.role);
    const isItem = ({ content }: JsonObject): boolean =>
      Array.isArray(content) && content.some((block) => isObject(block) && block.type === 'output_text');
    if (isItem(answer))
      throw new Error('It is one item of an OpenAI response: its calls are other items. Send the whole response.');
  }
  return ofBody(readAnthropicReply)(answer);
}

function recordedReply({ message, finishReason, usage }: ModelReply) {
  return {
    rounds: [finishReason === null ? message : { ...message, finish_reason: finishReason }],
    ...usageIn(usage),
  };
}

function usageIn(usage: Usage): Pick<Recorded, 'usage'> {
  const { promptTokens: prompt, completionTokens: completion, cacheReadTokens: read, reasoningTokens: thought } = usage;
  const { cacheWrite5mTokens: short, cacheWrite1hTokens: long } = usage;
  if (prompt === null || completion === null) return {};
  return {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      ...(read !== null && { prompt_tokens_details: { cached_tokens: read } }),
      ...((short !== null || long !== null) && {
        cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
      }),
      ...(thought !== null && { completion_tokens_details: { reasoning_tokens: thought } }),
    },
  };
}

/**
 * The messages contain all rounds, and the output only the last one. Messages from the input belong to the prompt, even
 * assistant messages.
 */
function ofInspect(sample: JsonObject) {
  const { output, messages } = sample;
  if (!isObject(output) || !Array.isArray(output.choices)) return undefined;
  if (typeof output.error === 'string') throw new Error(`The model failed: ${reasonIn(output.error)}`);
  if (Array.isArray(messages))
    return {
      rounds: toRounds(
        readMessages(
          messages.filter((one) => !isObject(one) || one.source !== 'input'),
          'messages',
        ).messages,
      ),
      ...usageOf(output),
    };
  const { message } = only(output.choices, 'output.choices');
  return { rounds: toRounds(readMessages([message ?? null], 'output message ').messages), ...usageOf(output) };
}

function usageOf({ usage }: JsonObject): Pick<Recorded, 'usage'> {
  const { input_tokens: prompt, output_tokens: completion } = isObject(usage) ? usage : {};
  return Number.isSafeInteger(prompt) && Number.isSafeInteger(completion)
    ? { usage: { prompt_tokens: prompt as number, completion_tokens: completion as number } }
    : {};
}

function ofDeepEval(test: JsonObject) {
  const key = ['tools_called', 'toolsCalled'].find((one) => test[one] !== undefined);
  if (!key) return undefined;
  const calls = test[key];
  if (!Array.isArray(calls)) throw new Error(`"${key}" must be a list of calls: nothing called is [].`);
  const content = test.actual_output ?? test.actualOutput ?? null;
  return {
    rounds: [
      {
        role: 'assistant',
        content,
        tool_calls: calls.map((call, index) => toToolCall(readCall(call, `${key}[${index}]`))),
      },
    ],
  };
}

function ofList(list: readonly Json[], where: string): Recorded {
  const { messages, words } = readMessages(list, where);
  return { readAs: `${words}.messages`, rounds: toRounds(messages) };
}

/** Returns a list of messages, or the one under `messages`. */
export function requireList(value: Json, where: string): readonly Json[] {
  const list = isObject(value) ? value.messages : value;
  if (!Array.isArray(list)) throw new Error(`"${where}" must be a list of messages, or {"messages": [...]}.`);
  return list;
}

/** @throws Error if there is none, or several, because picking one silently would be a guess */
function only(list: Json | undefined, where: string): JsonObject {
  if (!Array.isArray(list)) throw new Error(`"${where}" must be a list.`);
  if (list.length === 0) throw new Error(`"${where}" is empty: there is no reply.`);
  if (list.length > 1) throw new Error(`"${where}" holds ${list.length} replies: score each on a line of its own.`);
  if (!isObject(list[0])) throw new Error(`"${where}[0]" must be an object.`);
  return list[0];
}

const STREAM = 'It is a chunk of a streamed answer: put the chunks together first, or ask without "stream".';
const ANTHROPIC_EVENTS = wordSet(
  'message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping',
);

function refuseStream(value: Json | undefined): void {
  if (!isObject(value)) return;
  const { object, type, choices } = value;
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const isChunk =
    object === 'chat.completion.chunk' ||
    (isObject(choice) && isObject(choice.delta) && choice.message === undefined) ||
    (typeof type === 'string' && (ANTHROPIC_EVENTS.has(type) || type.startsWith('response.')));
  if (isChunk) throw new Error(STREAM);
}

/** A failed request is not a model's wrong reply, unless its host could not read the model's call. */
function inError(value: JsonObject): Recorded | undefined {
  const error = errorIn(value);
  if (!error) return undefined;
  const reply = failedGeneration(error);
  if (reply) return { readAs: 'failed_generation', ...recordedReply(reply) };
  const { kind } = failedReply(failureOf(error));
  throw new FailedReply(kind, `It is an error, not a reply: ${reasonIn(error)}`);
}

function refuseFile(value: JsonObject): void {
  if (batchIdOf(value) !== undefined && (isObject(value.body) || isObject(value.params) || isObject(value.request)))
    throw new Error("It is a request of a batch: its reply is in the batch's output file.");
  const [key, whose] = Array.isArray(value.samples)
    ? ['samples', 'log of Inspect']
    : Array.isArray(value.testCases)
      ? ['testCases', 'test run of DeepEval']
      : [];
  if (key) throw new Error(`It is a whole ${whose}: put each of its "${key}" on a line of its own.`);
}

const MAX_REASON_LENGTH = 200;
function reasonIn(error: Json | undefined): string {
  const message = isObject(error) ? error.message : error;
  return typeof message === 'string' && message ? message.slice(0, MAX_REASON_LENGTH) : 'it does not say why.';
}

function unknownShapeError(value: Json): Error {
  const fields = isObject(value)
    ? `It has the fields "${Object.keys(value).slice(0, 10).map(shorten).join('", "')}", and matches`
    : 'It fits';
  return new Error(`${fields} none of the supported shapes: ${SHAPE_DESCRIPTIONS}.`);
}
