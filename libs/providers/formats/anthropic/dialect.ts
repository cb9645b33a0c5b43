import type Anthropic from '@anthropic-ai/sdk';
import { isNumber, isObject, toNumber, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { CacheRequest } from '#lib/contracts/prompt-cache';
import { withoutSlash } from '#lib/contracts/url';
import { readAnthropicReply } from './reply.js';
import { maxOutputTokens } from './limits.js';
import { ANTHROPIC_IDS, withUniqueCallIds } from '../../dialects/call-ids.js';
import { takeCacheRequest } from '../../dialects/cache-request.js';
import {
  fetchOptionsWith,
  dropUnsupported,
  onlyHeaders,
  sdkTimeoutMs,
  type Dialect,
  idsInData,
} from '../../dialects/dialect.js';
import type { Note } from '../../dialects/note.js';
import { normaliseErrors } from '../../dialects/read-errors.js';
import { originalPieces, note, objectIn, readMessages, type Part, type Turn } from '../../dialects/read-messages.js';
import { mergeRootCombinators, rootCombinators } from '../../dialects/root-combinators.js';
import { OPENAI_NAMES } from '../../dialects/tool-names.js';

const HEADERS = ['accept', 'content-type', 'user-agent', 'anthropic-version', 'x-api-key'];
const UNKNOWN = [
  'n',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'store',
  'modalities',
  'prediction',
  'verbosity',
];
/** Removed in version 2026-10-21 of the API, which its SDK uses. */
const SAMPLING = ['temperature', 'top_p', 'top_k'];
const OLDER_VERSION = '2023-06-01';

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages */
export const anthropic: Dialect = {
  nameRule: OPENAI_NAMES,
  calledNamePaths: ['content.*.name'],

  toWire(asked) {
    const notes: Note[] = [];
    const { body, cache } = takeCacheRequest(asked);
    const {
      messages,
      tools,
      tool_choice: choice,
      parallel_tool_calls: parallel,
      max_tokens,
      max_completion_tokens,
      stop,
      user,
      reasoning_effort: effort,
      response_format: format,
      ...params
    } = withUniqueCallIds(body, ANTHROPIC_IDS);
    dropUnsupported(params, UNKNOWN, 'Anthropic', notes);
    if (params.anthropic_version === OLDER_VERSION) limitTemperature(params, notes);
    else
      dropUnsupported(
        params,
        SAMPLING,
        `Anthropic's API (without "anthropic_version": "${OLDER_VERSION}" in the model's default_params)`,
        notes,
      );
    const { system, turns } = readMessages(messages, notes);
    const limit = max_completion_tokens ?? max_tokens;
    return {
      wire: {
        ...params,
        max_tokens: limit ?? maxOutputTokens(params.model, notes),
        ...(system.length > 0 && { system: toSystem(system, cache) }),
        messages: toMessages(turns),
        ...(stop != null && { stop_sequences: Array.isArray(stop) ? stop : [stop] }),
        ...(user != null && { metadata: { ...objectIn(params.metadata), user_id: user } }),
        ...toOutputConfig(effort, format, objectIn(params.output_config), notes),
        ...(Array.isArray(tools) && tools.length > 0
          ? { tools: toTools(tools, cache, notes), tool_choice: toToolChoice(choice, parallel) }
          : toolsOfConversation(turns, notes)),
      },
      notes,
    };
  },

  connect(endpoint, fetch) {
    const { baseUrl, apiKey } = endpoint;
    let sdk: Promise<Anthropic> | undefined;
    const load = async (): Promise<Anthropic> => {
      const { default: Anthropic } = await import('@anthropic-ai/sdk');
      return new Anthropic({
        baseURL: withoutSlash(baseUrl).replace(/\/v1$/, ''), // the SDK appends /v1/messages
        apiKey: apiKey ?? 'none', // with a key, the SDK does not look for one in the environment
        // Hosts that use this format accept the header.
        defaultHeaders: { 'x-api-key': apiKey ?? 'none', authorization: null },
        webhookKey: null,
        maxRetries: 0,
        logLevel: 'off',
        openTelemetry: false,
        fetch: normaliseErrors(onlyHeaders(fetch, HEADERS, endpoint)),
      });
    };
    return async ({ anthropic_version: version, ...wire }, { signal, timeoutMs, replyMemory }) => {
      const headers = typeof version === 'string' ? { 'anthropic-version': version } : {};
      return (await (sdk ??= load())).messages
        .create(wire as never, { signal, timeout: sdkTimeoutMs(timeoutMs), headers, ...fetchOptionsWith(replyMemory) })
        .asResponse();
    };
  },

  fromWire: readAnthropicReply,
  modelList: {
    path: { version: /\/v1$/, rest: '/v1/models?limit=1000' },
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    modelIds: idsInData,
  },
};

function toMessages(turns: Turn[]): Json[] {
  const messages: { role: string; content: Json[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const content = toBlocks(turn);
    if (content.length === 0) continue; // rejected if empty
    const last = messages.at(-1);
    // All results of a round must be in one message, and the two roles alternate.
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content });
  }
  return messages;
}

function toBlocks(turn: Turn): Json[] {
  if (turn.role === 'tool') {
    const { callId, text, failed } = turn;
    const result = { type: 'tool_result', tool_use_id: callId, content: failed ?? text };
    return [failed === undefined ? result : { ...result, is_error: true }];
  }
  const parts = turn.parts.map(toBlock);
  if (turn.role === 'user') return parts;
  const said = originalPieces(turn.source.content_blocks, turn.source, (block) =>
    block.type === 'tool_use' ? block.id : undefined,
  );
  if (said) return said.filter(({ type, text }) => type !== 'text' || text !== ''); // rejected if empty
  const thinking = Array.isArray(turn.source.thinking_blocks) ? turn.source.thinking_blocks : [];
  return [
    ...thinking,
    ...parts,
    ...turn.calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
  ];
}

function toBlock(part: Part): JsonObject {
  if ('text' in part) return { type: 'text', text: part.text };
  const { image } = part;
  return {
    type: 'image',
    source:
      'url' in image
        ? { type: 'url', url: image.url }
        : { type: 'base64', media_type: image.mediaType, data: image.base64 },
  };
}

/** The cache includes everything up to the marked block, in this order: the tools, then the system prompt. */
const cacheControl = ({ ttl }: CacheRequest): JsonObject => ({ cache_control: { type: 'ephemeral', ttl } });

function toSystem(texts: readonly string[], cache: CacheRequest | undefined): Json {
  if (!cache?.hasSystemPrompt) return texts.join('\n\n');
  const [shared, ...own] = texts;
  return [
    { type: 'text', text: shared!, ...cacheControl(cache) },
    ...(own.length > 0 ? [{ type: 'text', text: own.join('\n\n') }] : []),
  ];
}

function toTools(tools: readonly Json[], cache: CacheRequest | undefined, notes: Note[]): JsonObject[] {
  const written = tools.map((tool) => toTool(tool, notes));
  if (cache) Object.assign(written.at(-1)!, cacheControl(cache));
  return written;
}

function toTool(tool: Json, notes: Note[]): JsonObject {
  const { name, description, parameters, strict } = (
    isObject(tool) && isObject(tool.function) ? tool.function : {}
  ) as JsonObject;
  return {
    name: name ?? '',
    ...(description != null && { description }),
    input_schema: isObject(parameters)
      ? { type: 'object', ...withoutCombinators(parameters, notes) }
      : { type: 'object', properties: {} },
    ...(strict === true && { strict }),
  };
}

/** "input_schema does not support oneOf, allOf, or anyOf at the top level" (its error) */
function withoutCombinators(parameters: JsonObject, notes: Note[]): JsonObject {
  if (rootCombinators(parameters).length === 0) return parameters;
  note(
    notes,
    'combinators',
    "Anthropic takes no anyOf, oneOf or allOf at the root of a tool's schema. Such a tool was sent with the " +
      'arguments of all branches, and its calls are checked by the whole schema.',
  );
  return mergeRootCombinators(parameters);
}

/** A conversation with calls and results must declare tools, even if none may be called. */
function toolsOfConversation(turns: readonly Turn[], notes: Note[]): JsonObject {
  const names = new Set(
    turns.flatMap((turn) =>
      turn.role === 'assistant' ? turn.calls.map(({ name }) => name) : turn.role === 'tool' ? [turn.toolName] : [],
    ),
  );
  names.delete('');
  if (names.size === 0) return {};
  note(
    notes,
    'tools',
    'Anthropic wants the tools of earlier calls declared; they were sent by name, with a "tool_choice" of "none".',
  );
  return {
    tools: [...names].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

const EFFORTS = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/** The reasoning effort of a reply, and the schema of its text. */
function toOutputConfig(
  effort: Json | undefined,
  format: Json | undefined,
  own: JsonObject | undefined,
  notes: Note[],
): JsonObject {
  const config: JsonObject = { ...own };
  if (typeof effort === 'string' && EFFORTS.has(effort)) config.effort = effort;
  else if (effort != null)
    note(
      notes,
      'reasoning_effort',
      `Anthropic has no effort ${JSON.stringify(effort)}; it was left out. Supported: ${[...EFFORTS].join(', ')}.`,
    );
  const schema = isObject(format) && isObject(format.json_schema) ? format.json_schema.schema : undefined;
  if (schema !== undefined) config.format = { type: 'json_schema', schema };
  else if (isObject(format) && format.type !== 'text')
    note(notes, 'response_format', 'Anthropic does not support JSON without a schema; "response_format" was left out.');
  return Object.keys(config).length > 0 ? { output_config: config } : {};
}

function toToolChoice(choice: Json | undefined, parallel: Json | undefined): JsonObject {
  if (choice === 'none') return { type: 'none' };
  const one = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
  return {
    ...(one !== undefined ? { type: 'tool', name: one } : { type: choice === 'required' ? 'any' : 'auto' }),
    ...(parallel === false && { disable_parallel_tool_use: true }),
  };
}

function limitTemperature(params: JsonObject, notes: Note[]): void {
  if (!isNumber(params.temperature) || toNumber(params.temperature) <= 1) return;
  params.temperature = 1;
  note(notes, 'temperature', 'Anthropic takes a temperature of at most 1; 1 was sent.');
}
