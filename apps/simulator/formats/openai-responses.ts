import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { openAiPrompt, refuseCacheSettings } from '../prompt-cache/implicit.js';
import { refuseOpenAiName } from './check-names.js';
import { joinTexts, requireList, readCompletion, type Completion, type Format } from './format.js';

const UNKNOWN = ['messages', 'max_tokens', 'max_completion_tokens', 'seed', 'stop', 'n'];

/** OpenAI's Responses API, as far as the simulated models need it. */
export const responsesFormat: Format = {
  path: /^\/v1\/responses$/,
  basePath: '/v1',
  read(body) {
    for (const name of UNKNOWN) if (name in body) throw new Error(`Unknown parameter: '${name}'.`);
    refuseCacheSettings(body);
    const {
      tools,
      tool_choice: choice,
      max_output_tokens: maxTokens,
      temperature,
      model,
      parallel_tool_calls: parallel,
    } = body;
    const messages = readInput(body);
    requireList(tools).forEach(({ name }, index) => refuseOpenAiName(`tools[${index}].name`, name));
    return {
      model: model ?? null,
      messages,
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
      ...(Array.isArray(tools) && {
        tools: requireList(tools).map(({ name, description, parameters }) => ({
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

  cacheable: (body) => openAiPrompt('responses', body, [body.instructions ?? null, body.input ?? null]),

  write(completion, _status, _headers, used): JsonObject {
    const reply = readCompletion(completion, used);
    if (!reply) return completion;
    const { finish, usage } = reply;
    const id = String(completion.id).replace('chatcmpl-', '');
    const isIncomplete = finish === 'length' || finish === 'content_filter';
    const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
    return {
      id: `resp_${id}`,
      object: 'response',
      created_at: completion.created ?? 0,
      status: isIncomplete ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: isIncomplete ? { reason } : null,
      model: completion.model ?? null,
      output: writeOutput(reply, id),
      parallel_tool_calls: true,
      previous_response_id: null,
      store: false,
      usage: {
        input_tokens: usage.prompt,
        input_tokens_details: { cached_tokens: usage.cacheRead },
        output_tokens: usage.completion,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
        total_tokens: usage.prompt + usage.completion,
      },
      user: null,
    };
  },
};

function readInput({ input, instructions }: JsonObject): JsonObject[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : requireList(input);
  const messages: JsonObject[] = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : [];
  const calledIds = new Set<Json | undefined>();
  for (const [index, item] of items.entries()) {
    if (item.type === 'reasoning') continue;
    if (item.type === 'function_call') {
      refuseOpenAiName(`input[${index}].name`, item.name);
      calledIds.add(item.call_id);
      addCall(messages, item);
    } else if (item.type === 'function_call_output') {
      if (!calledIds.has(item.call_id))
        throw new Error(`No tool call found for function call output with call_id ${String(item.call_id)}.`);
      messages.push({ role: 'tool', tool_call_id: item.call_id ?? null, content: item.output ?? '' });
    } else {
      messages.push({ role: item.role ?? null, content: joinTexts(item.content, '\n') });
    }
  }
  return messages;
}

/** Adds a call to the assistant message that it belongs to, or to a new one. */
function addCall(messages: JsonObject[], item: JsonObject): void {
  const call = {
    id: item.call_id ?? null,
    type: 'function',
    function: { name: item.name ?? '', arguments: item.arguments ?? '' },
  };
  const last = messages.at(-1);
  if (last?.role === 'assistant') last.tool_calls = [...requireList(last.tool_calls), call];
  else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
}

const writeOutput = ({ content, calls }: Completion, id: string): Json[] => [
  ...(content === null
    ? []
    : [
        {
          type: 'message',
          id: `msg_${id}`,
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', annotations: [], logprobs: [], text: content }],
        },
      ]),
  ...calls.map(({ id: callId, name, arguments: args }, index) => ({
    type: 'function_call',
    id: `fc_${id}_${index}`,
    call_id: callId,
    status: 'completed',
    name,
    arguments: args,
  })),
];
