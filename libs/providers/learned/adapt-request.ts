import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { SettingChange, SettingChanges } from '#lib/contracts/learned';
import { hasStrictTools, withoutStrict } from '#lib/contracts/strict-tools';

/** Fields of an earlier reply that every host of chat completions accepts. */
const MESSAGE_FIELDS = new Set(['role', 'content', 'tool_calls', 'name', 'tool_call_id']);
const CALL_FIELDS = new Set(['id', 'type', 'function']);

/**
 * A chat completion request in the form that a model accepts.
 * @returns adjusted: the settings that are sent differently from the request
 */
export function adaptRequest(body: JsonObject, ways: SettingChanges): { body: JsonObject; adjusted: SettingChanges } {
  const settings = Object.keys(ways);
  if (settings.length === 0) return { body, adjusted: {} };
  const adapted = { ...body };
  // A limit is renamed before one of that name is dropped.
  settings.sort((a, b) => Number(ways[a] === 'left out') - Number(ways[b] === 'left out'));
  const changed = settings.filter((setting) => applyAdjustment(adapted, setting, ways[setting]!));
  return { body: adapted, adjusted: Object.fromEntries(changed.map((setting) => [setting, ways[setting]!])) };
}

const LIMITS = ['max_tokens', 'max_completion_tokens'];

/** @returns whether it changed anything */
function applyAdjustment(body: JsonObject, setting: string, way: SettingChange): boolean {
  if (setting === 'tool_choice') return changeToolChoice(body, way);
  if (setting === 'strict') return changeTools(body);
  const [, field] = /^messages\.(.+)$/.exec(setting) ?? [];
  if (field !== undefined) return changeMessages(body, field, way);
  const [, most] = /^at most (\d+)$/.exec(way) ?? [];
  if (most !== undefined) {
    if (LIMITS.some((limit) => limit in body)) return false;
    body.max_tokens = Number(most);
    return true;
  }
  if (!(setting in body)) return false;
  const value = body[setting]!;
  delete body[setting];
  if (way === 'max_tokens' || way === 'max_completion_tokens') body[way] ??= value;
  return true;
}

function changeToolChoice(body: JsonObject, way: SettingChange): boolean {
  const { tool_choice: asked } = body;
  if (asked !== 'required' && !(asked === 'auto' && way === 'left out')) return false;
  if (way === 'auto while thinking' && isThinkingOff(body)) return false;
  if (way === 'left out') delete body.tool_choice;
  else body.tool_choice = 'auto';
  return true;
}

/** Whether the parameters turn thinking off, in the terms of DeepSeek, Anthropic, Qwen, vLLM, OpenRouter or OpenAI. */
export function isThinkingOff(body: JsonObject): boolean {
  const { thinking, enable_thinking: qwen, chat_template_kwargs: vllm, reasoning, reasoning_effort: effort } = body;
  return (
    (isObject(thinking) && thinking.type === 'disabled') ||
    qwen === false ||
    (isObject(vllm) && (vllm.enable_thinking === false || vllm.thinking === false)) ||
    (isObject(reasoning) && (reasoning.enabled === false || reasoning.effort === 'none')) ||
    effort === 'none'
  );
}

function changeTools(body: JsonObject): boolean {
  const { tools } = body;
  if (!Array.isArray(tools) || !hasStrictTools(tools)) return false;
  body.tools = withoutStrict(tools);
  return true;
}

function changeMessages(body: JsonObject, field: string, way: SettingChange): boolean {
  const before = body.messages as Json[];
  const messages = before.map((message) => (isReply(message) ? changeMessage(message, field, way) : message));
  body.messages = messages;
  return messages.some((message, index) => message !== before[index]);
}

const isReply = (message: Json): message is JsonObject => isObject(message) && message.role === 'assistant';

function changeMessage(message: JsonObject, field: string, way: SettingChange): JsonObject {
  if (way === 'sent back') {
    if (field in message || !Array.isArray(message.tool_calls)) return message;
    return { ...message, [field]: typeof message.reasoning === 'string' ? message.reasoning : '' };
  }
  const [, ofCall] = /^tool_calls\.(.+)$/.exec(field) ?? [];
  if (ofCall === undefined) {
    if (!(field in message)) return message;
    const { [field]: _refused, ...rest } = message;
    return rest;
  }
  const calls = message.tool_calls;
  if (!Array.isArray(calls) || !calls.some((call) => isObject(call) && ofCall in call)) return message;
  const without = calls.map((call) => {
    const { [ofCall]: _refused, ...rest } = call as JsonObject;
    return rest;
  });
  return { ...message, tool_calls: without };
}

/** The fields of earlier replies that not every host accepts, as settings: `messages.<field>`. */
export function replyFieldsIn({ messages }: JsonObject): Set<string> {
  const found = new Set<string>();
  for (const message of (messages as Json[] | undefined) ?? []) {
    if (!isReply(message)) continue;
    for (const field of Object.keys(message)) if (!MESSAGE_FIELDS.has(field)) found.add(`messages.${field}`);
    for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : [])
      for (const field of Object.keys(call as JsonObject))
        if (!CALL_FIELDS.has(field)) found.add(`messages.tool_calls.${field}`);
  }
  return found;
}
