import { NO_USAGE } from '#lib/contracts/cost';
import { isObject, parseJson, type JsonObject } from '#lib/contracts/json/json';
import { errorIn } from './host-failure.js';
import type { ModelReply } from './model-reply.js';

const MAX_NESTED_CHARACTERS = 1_000_000;
/** Hosts' messages when they cannot read a call of the model. The last group is the model's own text. */
const UNREADABLE_CALL = [
  /error parsing tool calls?: raw='([\s\S]*?)', err=/i,
  /error parsing tool calls?:?([\s\S]*)/i,
  /failed to parse (?:input|output|messages|response) at pos(?:ition)? \d+:?([\s\S]*)/i,
  /(?:failed|unable|could not|cannot) (?:to )?parse (?:the )?(?:tool|function)[ _-]?calls?(?: as json)?:?([\s\S]*)/i,
  /(?:model|generated)[^.]{0,60}(?:invalid|malformed|unparse?able)[^.]{0,20}(?:tool|function)[ _-]?call([\s\S]*)/i,
];
const UNREADABLE_CODE = /^(?:tool_use_failed|tool_call_parse_error|malformed_function_call|invalid_tool_call)$/i;

/**
 * A model's output that its host could not read as a call: Groq quotes it in `failed_generation`, Ollama and llama.cpp
 * in the message of a 500. That is a bad reply of the model, not a failure of the host.
 */
export function failedGenerationIn(error: JsonObject): string | undefined {
  const { failed_generation: quoted, metadata, body, kind, code, type, message } = error;
  if (typeof quoted === 'string') return quoted;
  // OpenRouter quotes the response of its upstream host, and a stored exchange quotes the response of its failure.
  const response = isObject(metadata) ? metadata.raw : kind === undefined ? undefined : body;
  const inner = typeof response === 'string' ? nestedError(response) : undefined;
  const nested = inner && failedGenerationIn(inner);
  if (nested !== undefined) return nested;
  const text = typeof message === 'string' ? message : '';
  for (const pattern of UNREADABLE_CALL) {
    const found = pattern.exec(text);
    if (found) return found[1]!.trim();
  }
  return [code, type].some((word) => typeof word === 'string' && UNREADABLE_CODE.test(word)) ? text : undefined;
}

/** The error in a response that an error quotes. Further nested quotes are not followed. */
function nestedError(text: string): JsonObject | undefined {
  if (text.length > MAX_NESTED_CHARACTERS) return undefined;
  try {
    const body = parseJson(text);
    if (!isObject(body)) return undefined;
    const { metadata: _metadata, body: _body, ...error } = errorIn(body) ?? body;
    return error;
  } catch {
    return undefined;
  }
}

/** The reply of a model whose host answered with an error about its call; undefined for any other error. */
export function failedGeneration(error: JsonObject): ModelReply | undefined {
  const text = failedGenerationIn(error);
  if (text === undefined) return undefined;
  const { message } = error;
  const callsNothing = typeof message === 'string' && /did not call a (?:tool|function)/i.test(message.slice(0, 1000));
  return {
    message: { role: 'assistant', content: text === '' ? null : text },
    finishReason: callsNothing ? 'stop' : 'malformed_function_call',
    usage: NO_USAGE,
  };
}
