import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { hash } from '../formats/chance.js';
import {
  completion,
  errorResponse,
  jsonResponse,
  type ChatRequest,
  type ResponsePlan,
} from '../formats/chat-completions.js';
import { requireList } from '../formats/format.js';
import type { Behaviour } from '../models/behaviour.js';
import { correctReply } from '../models/correct-reply.js';
import type { ModelRequest } from '../models/model-request.js';
import { usageOf } from '../models/usage.js';
import { withinTokens } from '../models/spoil-reply.js';
import { UNCACHED } from '../prompt-cache/prompt-cache.js';
import type { Host, OddReply, Refusal } from './host.js';

/** The name of an odd reply in the user message. */
const ODD = /\[\[([\w-]{1,40})\]\]/;

export const hostBehaviour = (host: Host): Behaviour => ({
  about: host.about,
  respond: (asked) => refusalOf(host, asked) ?? oddReplyOf(host, asked) ?? replyOf(host, asked),
});

function refusalOf(host: Host, { request, wire }: ModelRequest): ResponsePlan | undefined {
  if (host.format && wire === (request as unknown))
    return errorResponse(404, `This host speaks ${host.format}'s format: ask it under /${host.format}.`);
  const refusal = refusedSetting(host, wire) ?? host.refusesBody?.(wire) ?? refusedMessage(host, wire);
  if (!refusal) return undefined;
  const { message, status = 400, code = null, param = null } = refusal;
  return host.writeRefusal
    ? jsonResponse(status, host.writeRefusal({ message, status, code, param }))
    : errorResponse(status, message, code, param === null ? {} : { param });
}

function refusedSetting({ refuses = {} }: Host, body: JsonObject): Refusal | undefined {
  for (const [name, rule] of Object.entries(refuses)) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    const refusal = typeof rule === 'function' ? rule(value, body) : rule;
    if (refusal) return refusal;
  }
  return undefined;
}

function refusedMessage({ refusesMessage }: Host, body: JsonObject): Refusal | undefined {
  if (!refusesMessage || !Array.isArray(body.messages)) return undefined;
  for (const [index, message] of body.messages.entries()) {
    const refusal =
      isObject(message) && message.role === 'assistant' ? refusesMessage(message, index, body) : undefined;
    if (refusal) return refusal;
  }
  return undefined;
}

function oddReplyOf({ odd = {} }: Host, asked: ModelRequest): ResponsePlan | undefined {
  const name = ODD.exec(asked.userText)?.[1];
  if (name === undefined || !Object.hasOwn(odd, name)) return undefined;
  const { status = 200, headers, body, isLasting = false }: OddReply = odd[name]!(asked);
  return isLasting || asked.repetition === 0 ? jsonResponse(status, body, headers) : undefined;
}

function replyOf(host: Host, asked: ModelRequest): ResponsePlan {
  const { request, wire } = asked;
  const { max_completion_tokens: most, max_tokens: max } = request;
  const correct = host.ignores ? correctReply(without(request, host.ignores)) : asked.correctReply();
  const reply = withinTokens(correct, most ?? max);
  const usage = usageOf(
    host.hasNoCache ? { ...asked, useCache: () => UNCACHED } : asked,
    reply,
    host.reasoning?.(wire),
  );
  const whole = completion(reply, request.model, usage, `${asked.prompt}\u0000${asked.repetition}`) as JsonObject;
  const sent = host.sends?.(wire) ?? {};
  const choices = requireList(whole.choices).map((choice) => ({
    ...choice,
    ...sent.choice,
    message: { ...(choice.message as JsonObject), ...sent.message, ...callsOf(host, asked, choice, sent.call) },
  }));
  const written = { ...whole, ...(host.usage && { usage: host.usage(usage) }), ...sent.response, choices };
  return { ...jsonResponse(200, written, host.headers), usage };
}

const without = (request: ChatRequest, names: readonly string[]): ChatRequest =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !names.includes(name))) as unknown as ChatRequest;

/** The calls of a choice with the host's ids and extra fields. */
function callsOf({ id }: Host, { request, prompt }: ModelRequest, choice: JsonObject, more?: JsonObject): JsonObject {
  const calls = requireList((choice.message as JsonObject).tool_calls);
  if (calls.length === 0) return {};
  const before = request.messages.reduce((count, { tool_calls: made }) => count + (made?.length ?? 0), 0);
  return {
    tool_calls: calls.map((call, index) => {
      const { name } = call.function as { name: string };
      const seed = hash(`${prompt}\u0000${before + index}`).toString(36);
      return { ...call, ...(id && { id: id({ name, index, before, seed }) }), ...more };
    }),
  };
}
