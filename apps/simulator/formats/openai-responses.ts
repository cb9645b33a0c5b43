import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { refuseOpenAiName } from '../models/check-names.js';
import { readCompletion, list, type Format } from './format.js';

/** OpenAI's Responses API, as far as the simulated models need it. */
export const responsesFormat: Format = {
  read(body) {
    for (const name of ['messages', 'max_tokens', 'max_completion_tokens', 'seed', 'stop', 'n'])
      if (name in body) throw new Error(`Unknown parameter: '${name}'.`);
    const {
      input,
      instructions,
      tools,
      tool_choice: choice,
      max_output_tokens: maxTokens,
      temperature,
      model,
      parallel_tool_calls: parallel,
    } = body;
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
    const called = new Set<Json | undefined>();
    const messages: JsonObject[] = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : [];
    for (const [index, item] of items.entries()) {
      if (item.type === 'reasoning') continue;
      const last = messages.at(-1);
      if (item.type === 'function_call') {
        refuseOpenAiName(`input[${index}].name`, item.name);
        called.add(item.call_id);
        const call = {
          id: item.call_id ?? null,
          type: 'function',
          function: { name: item.name ?? '', arguments: item.arguments ?? '' },
        };
        if (last?.role === 'assistant') last.tool_calls = [...list(last.tool_calls), call];
        else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
      } else if (item.type === 'function_call_output') {
        if (!called.has(item.call_id))
          throw new Error(`No tool call found for function call output with call_id ${String(item.call_id)}.`);
        messages.push({ role: 'tool', tool_call_id: item.call_id ?? null, content: item.output ?? '' });
      } else {
        messages.push({
          role: item.role ?? null,
          content:
            typeof item.content === 'string'
              ? item.content
              : list(item.content)
                  .map(({ text }) => text ?? '')
                  .join('\n'),
        });
      }
    }
    list(tools).forEach(({ name }, index) => refuseOpenAiName(`tools[${index}].name`, name));
    return {
      model: model ?? null,
      messages,
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
      ...(Array.isArray(tools) && {
        tools: list(tools).map(({ name, description, parameters }) => ({
          type: 'function',
          function: {
            name: name ?? '',
            ...(description !== undefined && { description }),
            parameters: parameters ?? {},
          },
        })),
        tool_choice: isObject(choice)
          ? { type: 'function', function: { name: choice.name ?? '' } }
          : (choice ?? 'auto'),
      }),
    };
  },

  write(completion): JsonObject {
    const said = readCompletion(completion);
    if (!said) return completion;
    const id = String(completion.id).replace('chatcmpl-', '');
    const cut = said.finish === 'length' || said.finish === 'content_filter';
    return {
      id: `resp_${id}`,
      object: 'response',
      created_at: completion.created ?? 0,
      status: cut ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: cut ? { reason: said.finish === 'length' ? 'max_output_tokens' : 'content_filter' } : null,
      model: completion.model ?? null,
      output: [
        ...(said.content === null
          ? []
          : [
              {
                type: 'message',
                id: `msg_${id}`,
                status: 'completed',
                role: 'assistant',
                content: [{ type: 'output_text', annotations: [], logprobs: [], text: said.content }],
              },
            ]),
        ...said.calls.map(({ id: callId, name, arguments: args }, index) => ({
          type: 'function_call',
          id: `fc_${id}_${index}`,
          call_id: callId,
          status: 'completed',
          name,
          arguments: args,
        })),
      ],
      parallel_tool_calls: true,
      previous_response_id: null,
      store: false,
      usage: {
        input_tokens: said.usage.prompt,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: said.usage.completion,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: Number(said.usage.prompt) + Number(said.usage.completion),
      },
      user: null,
    };
  },
};
