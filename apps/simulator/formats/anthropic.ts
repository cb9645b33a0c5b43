import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { hash } from '../models/chance.js';
import { refuseAnthropicCall, refuseAnthropicNames } from '../models/check-names.js';
import { readCompletion, list, objectOf, type Format } from './format.js';

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
  read(body, _model, headers) {
    const { system, messages, tools, tool_choice: choice, max_tokens: maxTokens, temperature, model } = body;
    if (!headers['anthropic-version']) throw new Error('anthropic-version: header is required');
    if (!Number.isInteger(maxTokens)) throw new Error('max_tokens: Field required');
    if (headers['anthropic-version'] !== '2023-06-01') {
      for (const name of ['temperature', 'top_p', 'top_k'])
        if (name in body) throw new Error(`${name}: Extra inputs are not permitted`);
    }
    refuseAnthropicNames(list(tools).map(({ name }) => name));
    const instructions =
      typeof system === 'string'
        ? system
        : list(system)
            .map(({ text }) => text)
            .join('\n\n');
    const pending = new Set<Json | undefined>();
    const read = list(messages).flatMap((message, index): JsonObject[] => {
      const blocks =
        typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : list(message.content);
      if (blocks.length === 0) throw new Error(`messages.${index}: all messages must have non-empty content`);
      const text = blocks
        .filter(({ type }) => type === 'text')
        .map((block) => block.text)
        .join('\n');
      if (message.role === 'assistant') {
        const calls = blocks.filter(({ type }) => type === 'tool_use');
        blocks.forEach(
          ({ type, name }, at) => type === 'tool_use' && refuseAnthropicCall(`messages.${index}.content.${at}`, name),
        );
        for (const { id } of calls) pending.add(id);
        return [
          {
            role: 'assistant',
            content: text || null,
            ...(calls.length > 0 && {
              tool_calls: calls.map(({ id, name, input }) => ({
                id: id ?? null,
                type: 'function',
                function: { name: name ?? '', arguments: JSON.stringify(input) },
              })),
            }),
          },
        ];
      }
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
        ...results.map(({ tool_use_id: id, content }): JsonObject => ({
          role: 'tool',
          tool_call_id: id ?? null,
          content: content ?? '',
        })),
        ...(blocks.length > results.length ? [{ role: 'user', content: text }] : []),
      ];
    });
    const kind = isObject(choice) ? choice.type : 'auto';
    return {
      model: model ?? null,
      messages: [...(instructions ? [{ role: 'system', content: instructions }] : []), ...read],
      max_tokens: maxTokens!,
      ...(temperature !== undefined && { temperature }),
      ...(Array.isArray(tools) && {
        tools: list(tools).map(({ name, description, input_schema: parameters }) => ({
          type: 'function',
          function: {
            name: name ?? null,
            ...(description !== undefined && { description }),
            parameters: parameters ?? {},
          },
        })),
        tool_choice:
          kind === 'any'
            ? 'required'
            : kind === 'tool'
              ? { type: 'function', function: { name: (choice as JsonObject).name ?? '' } }
              : kind === 'none'
                ? 'none'
                : 'auto',
      }),
    };
  },

  write(completion, status, headers): JsonObject {
    const said = readCompletion(completion);
    if (!said) {
      const { message } = completion.error as JsonObject;
      const id = `req_${hash(String(message)).toString(36)}`;
      Object.assign(headers, { 'request-id': id, 'x-should-retry': String(status === 429 || status >= 500) });
      return {
        type: 'error',
        error: {
          type: ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
          message: message ?? '',
        },
        request_id: id,
      };
    }
    return {
      id: String(completion.id).replace('chatcmpl-', 'msg_'),
      type: 'message',
      role: 'assistant',
      model: completion.model ?? null,
      content: [
        ...(said.content ? [{ type: 'text', text: said.content }] : []),
        ...said.calls.map(({ id, name, arguments: args }) => ({
          type: 'tool_use',
          id: id.replace(/^call_/, 'toolu_'),
          name,
          input: objectOf(args) ?? {},
        })),
      ],
      stop_reason: STOP_REASONS[said.finish] ?? said.finish,
      stop_sequence: null,
      stop_details: said.finish === 'content_filter' ? { type: 'refusal', category: null, explanation: null } : null,
      usage: {
        input_tokens: said.usage.prompt,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        output_tokens: said.usage.completion,
        service_tier: 'standard',
      },
    };
  },
};
