import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { markedPrompt, readMarks } from '../prompt-cache/marked.js';
import { hash } from './chance.js';
import { refuseAnthropicCall, refuseAnthropicNames } from './check-names.js';
import { joinTexts, requireList, objectOf, readCompletion, type Format } from './format.js';

const STOP_REASONS: Record<string, string> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

const ERROR_TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Anthropic's Messages API, as far as the simulated models need it. */
export const anthropicFormat: Format = {
  path: /^\/anthropic\/v1\/messages$/,
  host: '/anthropic/',
  basePath: '/anthropic',
  read(body, _model, headers) {
    refuseFields(body, headers);
    const { system, messages, tools, max_tokens: maxTokens, temperature, model } = body;
    refuseAnthropicNames(requireList(tools).map(({ name }) => name));
    readMarks(body);
    const instructions = joinTexts(system, '\n\n');
    return {
      model: model ?? null,
      messages: [...(instructions ? [{ role: 'system', content: instructions }] : []), ...readMessages(messages)],
      max_tokens: maxTokens!,
      ...(temperature !== undefined && { temperature }),
      ...(Array.isArray(tools) && {
        tools: requireList(tools).map(({ name, description, input_schema: parameters }) => ({
          type: 'function',
          function: {
            name: name ?? null,
            ...(description !== undefined && { description }),
            parameters: parameters ?? {},
          },
        })),
        tool_choice: readToolChoice(body.tool_choice),
      }),
    };
  },

  cacheable: markedPrompt,

  write(completion, status, headers, used): JsonObject {
    const reply = readCompletion(completion, used);
    if (!reply) return writeError(completion.error as JsonObject, status, headers);
    const { content, calls, thoughts, finish, usage } = reply;
    return {
      id: String(completion.id).replace('chatcmpl-', 'msg_'),
      type: 'message',
      role: 'assistant',
      model: completion.model ?? null,
      content: [
        ...thoughts,
        ...(content ? [{ type: 'text', text: content }] : []),
        ...calls.map(({ id, name, arguments: args }) => ({
          type: 'tool_use',
          id: id.replace(/^call_/, 'toolu_'),
          name,
          input: objectOf(args) ?? {},
        })),
      ],
      stop_reason: STOP_REASONS[finish] ?? finish,
      stop_sequence: null,
      stop_details: finish === 'content_filter' ? { type: 'refusal', category: null, explanation: null } : null,
      usage: {
        input_tokens: usage.prompt - usage.cacheRead - usage.cacheWrite5m - usage.cacheWrite1h,
        cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
        cache_read_input_tokens: usage.cacheRead,
        cache_creation: {
          ephemeral_1h_input_tokens: usage.cacheWrite1h,
          ephemeral_5m_input_tokens: usage.cacheWrite5m,
        },
        output_tokens: usage.completion,
        output_tokens_details: usage.reasoning > 0 ? { thinking_tokens: usage.reasoning } : null,
        service_tier: 'standard',
      },
    };
  },
};

function refuseFields(body: JsonObject, headers: Record<string, unknown>): void {
  if (!headers['anthropic-version']) throw new Error('anthropic-version: header is required');
  if (!Number.isInteger(body.max_tokens)) throw new Error('max_tokens: Field required');
  if (headers['anthropic-version'] === '2023-06-01') return;
  for (const name of ['temperature', 'top_p', 'top_k'])
    if (name in body) throw new Error(`${name}: Extra inputs are not permitted`);
}

function readMessages(messages: Json | undefined): JsonObject[] {
  const ids = new Set<Json | undefined>();
  /** The ids of calls without a result so far. */
  const pending = new Set<Json | undefined>();
  return requireList(messages).flatMap(({ role, content }, index): JsonObject[] => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : requireList(content);
    if (blocks.length === 0) throw new Error(`messages.${index}: all messages must have non-empty content`);
    return role === 'assistant'
      ? [readAssistantMessage(blocks, index, ids, pending)]
      : readUserMessage(blocks, index, pending);
  });
}

function readAssistantMessage(
  blocks: JsonObject[],
  index: number,
  ids: Set<Json | undefined>,
  pending: Set<Json | undefined>,
): JsonObject {
  blocks.forEach(({ type, name, id }, at) => {
    if (type === 'tool_use') refuseAnthropicCall(`messages.${index}.content.${at}`, name, id, ids);
  });
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  for (const { id } of calls) pending.add(id);
  return {
    role: 'assistant',
    content: textIn(blocks) || null,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        id: id ?? null,
        type: 'function',
        function: { name: name ?? '', arguments: JSON.stringify(input) },
      })),
    }),
  };
}

/** Reads the tool results and the text after them. */
function readUserMessage(blocks: JsonObject[], index: number, pending: Set<Json | undefined>): JsonObject[] {
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const { tool_use_id: id } of results)
    if (!pending.delete(id))
      throw new Error(`messages.${index}: unexpected tool_use_id found in tool_result blocks: ${String(id)}`);
  if (pending.size > 0)
    throw new Error(
      `messages.${index}: tool_use ids were found without tool_result blocks immediately after: ` +
        `${[...pending].join(', ')}`,
    );
  return [
    ...results.map(({ tool_use_id: id, content, is_error: isError }): JsonObject => ({
      role: 'tool',
      tool_call_id: id ?? null,
      content: isError === true ? `Error: ${joinTexts(content, '\n')}` : (content ?? ''),
    })),
    ...(blocks.length > results.length ? [{ role: 'user', content: textIn(blocks) }] : []),
  ];
}

const textIn = (blocks: JsonObject[]): string =>
  joinTexts(
    blocks.filter(({ type }) => type === 'text'),
    '\n',
  );

function readToolChoice(choice: Json | undefined): Json {
  switch (isObject(choice) ? choice.type : 'auto') {
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: (choice as JsonObject).name ?? '' } };
    case 'none':
      return 'none';
    default:
      return 'auto';
  }
}

function writeError({ message }: JsonObject, status: number, headers: Record<string, string>): JsonObject {
  const id = `req_${hash(String(message)).toString(36)}`;
  Object.assign(headers, { 'request-id': id, 'x-should-retry': String(status === 429 || status >= 500) });
  const type = ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message: message ?? '' }, request_id: id };
}
