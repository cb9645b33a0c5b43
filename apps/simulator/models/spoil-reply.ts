import { pick } from '../formats/chance.js';
import { minimalArguments } from './fill-arguments.js';
import type { CorrectReply } from './correct-reply.js';
import { replyTokens, type Call, type JsonSchema, type Reply, type Tool } from '../formats/chat-completions.js';

/* Mistakes of careless models in a correct reply. `at` is a number in [0, 1) that decides where. No function
   mutates its input. */

const argumentsOf = (call: Call): Record<string, unknown> => (typeof call.arguments === 'string' ? {} : call.arguments);
const text = (call: Call): string =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
const eachCall = (reply: Reply, change: (call: Call) => Call): Reply => ({ ...reply, calls: reply.calls.map(change) });

/** Removes or changes an argument of the first call. */
export function wrongArgument(reply: CorrectReply, at: number): Reply {
  const [first, ...rest] = reply.calls;
  if (!first) return reply;
  const given = { ...argumentsOf(first) };
  const keys = Object.keys(given);
  const key = pick(keys, at);
  if (key === undefined) return reply;
  const schema = reply.ranked().find((tool) => tool.function.name === first.name)?.function.parameters?.properties?.[
    key
  ];
  if (Math.floor(at * keys.length * 4) % 4 === 0) delete given[key];
  else given[key] = wrongValue(given[key], schema);
  return { ...reply, calls: [{ ...first, arguments: given }, ...rest] };
}

/**
 * Changes the value of a required argument in the first call.
 * @returns undefined if there is none, since the reply would stay correct
 */
export function wrongRequiredArgument(reply: CorrectReply, at: number): Reply | undefined {
  const [first, ...rest] = reply.calls;
  const schema = reply.ranked().find((tool) => tool.function.name === first?.name)?.function.parameters;
  const key =
    first &&
    pick(
      (schema?.required ?? []).filter((name) => Object.hasOwn(argumentsOf(first), name)),
      at,
    );
  if (key === undefined) return undefined;
  const given = argumentsOf(first!);
  const spoilt = { ...given, [key]: wrongValue(given[key], schema?.properties?.[key]) };
  return { ...reply, calls: [{ ...first!, arguments: spoilt }, ...rest] };
}

function wrongValue(value: unknown, schema: JsonSchema | undefined): unknown {
  const others = schema?.enum?.filter((other) => other !== value);
  if (others && others.length > 0) return others[0];
  if (typeof value === 'number') return value + 10;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\d$/.test(value) ? '2020-01-01' : `${value.slice(0, Math.ceil(value.length / 2))} (unsure)`;
  if (Array.isArray(value)) return value.slice(1);
  return null;
}

/** Calls another tool of the suite with the right arguments; replies with text when there is no other tool. */
export function wrongTool(reply: CorrectReply, at: number): Reply {
  const called = new Set(reply.calls.map((call) => call.name));
  const other = pick(
    reply.ranked().filter((tool) => !called.has(tool.function.name)),
    at,
  );
  if (!other) return asText(reply);
  const call = reply.calls[0] ?? { name: '', arguments: minimalArguments(other.function.parameters) };
  return { content: null, calls: [{ ...call, name: other.function.name }] };
}

export const unknownTool = (reply: Reply): Reply => eachCall(reply, (call) => ({ ...call, name: `${call.name}_v2` }));

/** Describes the call in text instead of making it. */
export function asText(reply: Reply): Reply {
  const names = reply.calls.map((call) => call.name.replaceAll('_', ' '));
  return {
    content: names.length > 0 ? `I would use ${names.join(' and ')} for that, if you agree.` : reply.content,
    calls: [],
  };
}

/** Puts the whole call into `function.name`, as local models do when a server misreads their template. */
export const jsonInName = (reply: Reply): Reply =>
  eachCall(reply, (call) => ({
    name: JSON.stringify({ name: call.name, arguments: argumentsOf(call) }),
    arguments: '',
  }));

/** Writes the call into the text, with or without a code fence. */
export function jsonInContent(reply: Reply, at: number): Reply {
  if (reply.calls.length === 0) return reply;
  const calls = reply.calls.map((call) => ({ name: call.name, arguments: argumentsOf(call) }));
  const json = JSON.stringify(calls.length === 1 ? calls[0] : calls, null, at < 0.5 ? 2 : undefined);
  return { content: at < 0.5 ? `I will use a tool for that.\n\`\`\`json\n${json}\n\`\`\`` : json, calls: [] };
}

/** Breaks the JSON of the arguments: single quotes, a missing brace, prose around it. */
export const malformedJson = (reply: Reply, at: number): Reply =>
  eachCall(reply, (call) => {
    const json = text(call);
    const broken = [
      json.slice(0, -1),
      json === '{}' ? "{'" : json.replaceAll('"', "'"),
      `Arguments: ${json}`,
      `${json.slice(0, -1)},}`,
    ];
    return { ...call, arguments: pick(broken, at)! };
  });

export const doubleEncoded = (reply: Reply): Reply =>
  eachCall(reply, (call) => ({ ...call, arguments: JSON.stringify(text(call)) }));

/** Adds one or two superfluous calls. */
export function withExtraCalls(reply: CorrectReply, at: number): Reply {
  if (reply.calls.length === 0) return reply;
  const called = new Set(reply.calls.map((call) => call.name));
  const others = reply
    .ranked()
    .filter((tool) => !called.has(tool.function.name))
    .slice(0, at < 0.5 ? 1 : 2);
  return { ...reply, calls: [...reply.calls, ...others.map(minimalCall)] };
}

export const minimalCall = (tool: Tool): Call => ({
  name: tool.function.name,
  arguments: minimalArguments(tool.function.parameters),
});

/** Truncates the reply in the middle of its last arguments, as at `max_tokens`. */
export function cutOff(reply: Reply, keep = 0.5): Reply {
  const last = reply.calls.at(-1);
  if (!last)
    return {
      ...reply,
      content: reply.content?.slice(0, Math.floor(reply.content.length * keep)) ?? null,
      finish: 'length',
    };
  const json = text(last);
  const kept = json.slice(0, Math.max(1, Math.min(json.length - 1, Math.floor(json.length * keep))));
  return { ...reply, calls: [...reply.calls.slice(0, -1), { ...last, arguments: kept }], finish: 'length' };
}

/** Truncates a reply that is longer than the request allows. */
export function withinTokens(reply: Reply, maxTokens: number | undefined): Reply {
  const tokens = maxTokens ? replyTokens(reply) : 0;
  return maxTokens && tokens > maxTokens ? cutOff(reply, maxTokens / tokens) : reply;
}
