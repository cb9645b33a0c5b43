import { isNumber, isObject, toNumber, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { readOpenaiResponsesReply } from './reply.js';
import { withCacheKey } from '../../dialects/cache-request.js';
import { RESPONSES_IDS, withUniqueCallIds } from '../../dialects/call-ids.js';
import { fetchOptionsWith, dropUnsupported, sdkTimeoutMs, type Dialect } from '../../dialects/dialect.js';
import type { Note } from '../../dialects/note.js';
import { OPENAI_MODELS, openaiSdk } from '../openai/dialect.js';
import { originalPieces, note, objectIn, textIn } from '../../dialects/read-messages.js';
import { OPENAI_NAMES } from '../../dialects/tool-names.js';

const UNKNOWN = [
  'n',
  'seed',
  'stop',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'modalities',
  'audio',
  'prediction',
  'web_search_options',
];
/** The smallest value that the API accepts. */
const MIN_TOKENS = 16;

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: Dialect = {
  nameRule: OPENAI_NAMES,
  calledNamePaths: ['output.*.name'],

  toWire(body) {
    const notes: Note[] = [];
    const {
      messages,
      tools,
      tool_choice: choice,
      max_tokens,
      max_completion_tokens,
      reasoning_effort: effort,
      response_format: format,
      verbosity,
      ...params
    } = withCacheKey(withUniqueCallIds(body, RESPONSES_IDS));
    dropUnsupported(params, UNKNOWN, 'The Responses API', notes);
    const limit = max_completion_tokens ?? max_tokens;
    return {
      wire: {
        store: false, // third parties should not store requests of an evaluation
        ...params,
        input: (Array.isArray(messages) ? messages : [])
          .filter(isObject)
          .flatMap((message) => toItems(message, params.store === true, notes)),
        ...(limit != null && { max_output_tokens: atLeast(limit, notes) }),
        ...(typeof effort === 'string' && { reasoning: { ...objectIn(params.reasoning), effort } }),
        ...((format != null || verbosity != null) && {
          text: {
            ...objectIn(params.text),
            ...(format != null && { format: toFormat(format) }),
            ...(verbosity != null && { verbosity }),
          },
        }),
        ...(Array.isArray(tools) &&
          tools.length > 0 && {
            tools: tools.map(toTool),
            ...(choice != null && { tool_choice: toToolChoice(choice) }),
          }),
      },
      notes,
    };
  },

  connect(endpoint, fetch) {
    let sdk: ReturnType<typeof openaiSdk> | undefined;
    return async (wire, { signal, timeoutMs, replyMemory }) =>
      (await (sdk ??= openaiSdk(endpoint, fetch))).responses
        .create(wire as never, { signal, timeout: sdkTimeoutMs(timeoutMs), ...fetchOptionsWith(replyMemory) })
        .asResponse();
  },

  fromWire: readOpenaiResponsesReply,
  modelList: OPENAI_MODELS,
  traceName: 'openai',
};

function toItems(message: JsonObject, stored: boolean, notes: Note[]): Json[] {
  const { role, content } = message;
  if (role === 'tool')
    return [{ type: 'function_call_output', call_id: message.tool_call_id ?? '', output: textIn(content) }];
  if (role !== 'assistant')
    return [{ role: role ?? 'user', content: typeof content === 'string' ? content : toParts(content, notes) }];
  const said = originalPieces(message.output_items, message, (item) =>
    item.type === 'function_call' ? item.call_id : undefined,
  );
  const readable = said?.every(
    (item) => item.type !== 'reasoning' || stored || typeof item.encrypted_content === 'string',
  );
  if (said && readable) return said;
  if (said)
    note(
      notes,
      'reasoning',
      'The model\'s reasoning of earlier rounds was not sent back. To send it, set "include": ' +
        '["reasoning.encrypted_content"] in its default_params.',
    );
  const text = textIn(content);
  const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []).flatMap((call): Json[] =>
    isObject(call) && isObject(call.function)
      ? [
          {
            type: 'function_call',
            call_id: call.id ?? '',
            name: call.function.name ?? '',
            arguments: call.function.arguments ?? '',
          },
        ]
      : [],
  );
  return [...(text === '' ? [] : [{ role, content: text }]), ...calls];
}

const toParts = (content: Json | undefined, notes: Note[]): Json[] =>
  (Array.isArray(content) ? content : []).filter(isObject).flatMap((part): Json[] => {
    if (part.type === 'text') return [{ type: 'input_text', text: part.text ?? '' }];
    if (part.type === 'image_url' && isObject(part.image_url))
      return [{ type: 'input_image', image_url: part.image_url.url ?? '', detail: part.image_url.detail ?? 'auto' }];
    if (part.type === 'file' && isObject(part.file)) return [{ type: 'input_file', ...part.file }];
    note(notes, 'part', `A part of type "${toText(part.type)}" in a message was left out.`);
    return [];
  });

function toTool(tool: Json): Json {
  const { name, description, parameters, strict } = (
    isObject(tool) && isObject(tool.function) ? tool.function : {}
  ) as JsonObject;
  // Here a function is strict by default. In chat completions it is not.
  return {
    type: 'function',
    name: name ?? '',
    ...(description != null && { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  };
}

const toToolChoice = (choice: Json): Json =>
  isObject(choice) && isObject(choice.function) ? { type: 'function', name: choice.function.name ?? '' } : choice;

const toFormat = (format: Json): Json =>
  isObject(format) && isObject(format.json_schema) ? { type: 'json_schema', ...format.json_schema } : format;

function atLeast(limit: Json, notes: Note[]): Json {
  if (!isNumber(limit) || toNumber(limit) >= MIN_TOKENS) return limit;
  note(
    notes,
    'max_tokens',
    `The Responses API takes a "max_tokens" of at least ${MIN_TOKENS}; ${MIN_TOKENS} was sent.`,
  );
  return MIN_TOKENS;
}
