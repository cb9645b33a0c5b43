import type { JsonObject } from '#lib/contracts/json/json';
import type { SettingChanges } from '#lib/contracts/learned';
import type { ProviderKind } from '#lib/contracts/provider';
import { classifyStatus } from '../classify-failure.js';
import { adaptRequest } from './adapt-request.js';
import { readRefusal } from './read-refusal.js';

const TOOL = { type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object' } } };
const CALL = { id: 'c', type: 'function', index: 0, function: { name: 'f', arguments: '{}' } };
const REQUEST: JsonObject = {
  model: 'm',
  messages: [
    { role: 'user', content: 'Do not use a seed or a temperature.' },
    { role: 'assistant', content: null, reasoning_content: 'Hm.', annotations: [], refusal: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'c', content: '1' },
  ],
  temperature: 0,
  top_p: 1,
  max_tokens: 500,
  seed: 7,
  presence_penalty: 1,
  parallel_tool_calls: true,
  tools: [TOOL],
  tool_choice: 'required',
};

const MESSAGES = REQUEST.messages as JsonObject[];
/** With settings that few requests have. */
const LARGER: JsonObject = {
  ...REQUEST,
  messages: [MESSAGES[0]!, { ...MESSAGES[1], reasoning: 'Hm.' }, MESSAGES[2]!],
  top_k: 5,
  logprobs: true,
  logit_bias: {},
};

interface Refused {
  status?: number;
  sent?: JsonObject;
  ways?: SettingChanges;
  format?: ProviderKind;
}
const read = (error: JsonObject, { status = 400, sent = LARGER, ways = {}, format = 'openai' }: Refused = {}) => {
  const failure = classifyStatus(status, undefined, error, String(error.message), {
    baseUrl: 'https://api.example.com/v1',
  });
  const refusal = readRefusal(failure, sent, ways, format);
  return refusal && `${refusal.setting}: ${refusal.way}`;
};
const said = (message: string, more: JsonObject = {}): JsonObject => ({ message, ...more });
const detail = (...loc: (string | number)[]): JsonObject => {
  const list = [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input: 7 }];
  return { detail: list, message: JSON.stringify(list) };
};

describe('a refusal names the unsupported setting:', () => {
  it.each<[string, JsonObject, Refused?]>([
    [
      'max_tokens: max_completion_tokens',
      said(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        { type: 'invalid_request_error', param: 'max_tokens', code: 'unsupported_parameter' },
      ),
    ],
    [
      'temperature: left out',
      said(
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        {
          param: 'temperature',
          code: 'unsupported_value',
        },
      ),
    ],
    ['temperature: left out', said('Refused.', { param: 'temperature', code: 'unsupported_parameter' })],
    ['temperature: left out', said('invalid temperature: only 1 is allowed for this model')],
    ['temperature: left out', said('`temperature` is deprecated for this model.'), { format: 'anthropic' }],
    ['temperature: left out', said('`temperature` and `top_p` cannot both be specified for this model.')],
    ['top_p: left out', said("Unsupported parameter: 'top_p' is not supported with this model.")],
    [
      'top_p: left out',
      said('Unknown name "topP" at \'generation_config\'', { status: 'INVALID_ARGUMENT' }),
      { format: 'google' },
    ],
    ['parallel_tool_calls: left out', said('This model does not support parallel tool calls.')],
    ['parallel_tool_calls: left out', said("Unknown parameter: 'parallel_tool_calls'.", { code: 'unknown_parameter' })],
    ['seed: left out', detail('body', 'seed'), { status: 422 }],
    ['presence_penalty: left out', said('Argument not supported on this model: presencePenalty')],
    ['presence_penalty: left out', said('Penalty is not enabled for this model'), { format: 'google' }],
    ['strict: left out', said('Extra inputs are not permitted', { param: 'tools[0].function.strict' })],
    ['strict: left out', said('tools.0.custom.strict: Extra inputs are not permitted'), { format: 'anthropic' }],
    [
      'tool_choice: auto',
      said(
        "No endpoints found that support the provided 'tool_choice' value. To learn more about provider routing, visit",
        {
          code: 404,
        },
      ),
      { status: 404 },
    ],
    ['tool_choice: auto while thinking', said('Thinking mode does not support this tool_choice')],
    [
      'tool_choice: auto while thinking',
      said('The tool_choice parameter does not support being set to required or object in thinking mode'),
    ],
    [
      'tool_choice: auto',
      said('Thinking mode does not support this tool_choice'),
      { sent: { ...REQUEST, thinking: { type: 'disabled' } } },
    ],
    [
      'tool_choice: auto',
      said("Invalid value: 'required'. Supported: 'auto', 'none'.", { param: 'tool_choice' }),
      { status: 422 },
    ],
    [
      'tool_choice: left out',
      said('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
      { sent: { ...REQUEST, tool_choice: 'auto' } },
    ],
    [
      'max_completion_tokens: left out',
      said('Unrecognized request argument supplied: max_completion_tokens'),
      { sent: { messages: [], max_completion_tokens: 9 }, ways: { max_tokens: 'max_completion_tokens' } },
    ],
    [
      'max_completion_tokens: max_tokens',
      said('Unrecognized request argument supplied: max_completion_tokens'),
      { sent: { messages: [], max_completion_tokens: 9 } },
    ],
    [
      'max_tokens: at most 64000',
      said('max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-x'),
      { sent: { messages: [] }, format: 'anthropic' },
    ],
    ['max_tokens: left out', said("Unsupported parameter: 'max_output_tokens'"), { format: 'openai-responses' }],
    [
      'messages.reasoning_content: left out',
      said(
        "'messages.1' : for 'role:assistant' the following must be satisfied" +
          "[('messages.1' : property 'reasoning_content' is unsupported)]",
      ),
    ],
    ['messages.annotations: left out', detail('body', 'messages', 1, 'assistant', 'annotations'), { status: 422 }],
    [
      'messages.refusal: left out',
      said("Additional properties are not allowed ('refusal' was unexpected) - 'messages.1'"),
    ],
    [
      'messages.tool_calls.index: left out',
      said('Extra inputs are not permitted', { param: 'messages[1].tool_calls[0].index' }),
    ],
    [
      'messages.reasoning_content: sent back',
      said('Missing `reasoning_content` field in the assistant message at message index 1.'),
    ],
    [
      'messages.reasoning_content: sent back',
      said('The `reasoning_content` in the thinking mode must be passed back to the API.'),
    ],
    [
      'max_tokens: max_completion_tokens',
      said('Provider returned error', {
        metadata: {
          raw: '{"error":{"message":"Unsupported parameter: \'max_tokens\'","code":"unsupported_parameter"}}',
        },
      }),
    ],
    ...(
      [
        // OpenAI and Azure
        ['parallel_tool_calls: left out', 'Unrecognized request arguments supplied: parallel_tool_calls, seed'],
        ['temperature: left out', 'This model has beta-limitations, temperature, top_p and n are fixed at 1'],
        ['tool_choice: auto', 'tool_choice value as required is enabled only for api versions 2024-06-01 and later'],
        ['seed: left out', "Extra parameters ['seed'] are not allowed when extra-parameters is set to be 'error'."],
        ['seed: left out', '{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra","input":1}]}'],
        // LiteLLM
        [
          'parallel_tool_calls: left out',
          "litellm.UnsupportedParamsError: ollama does not support parameters: ['parallel_tool_calls', 'seed'], for " +
            'model=m. To drop these, set `litellm.drop_params=True`',
        ],
        ['temperature: left out', "gpt-5 models don't support temperature=0. Only temperature=1 is supported."],
        // Bedrock and Anthropic
        [
          'tool_choice: auto',
          "This model doesn't support the toolConfig.toolChoice.any field. Remove it and try again.",
        ],
        ['top_k: left out', 'Malformed input request: #: extraneous key [top_k] is not permitted, please reformat'],
        ['parallel_tool_calls: left out', 'tool_choice.any.disable_parallel_tool_use: Extra inputs are not permitted'],
        ['parallel_tool_calls: left out', '#/tool_choice: extraneous key [disable_parallel_tool_use] is not permitted'],
        ['top_k: left out', '`top_k` must be unset when thinking is enabled.'],
        ['tool_choice: auto while thinking', 'Thinking may not be enabled when tool_choice forces tool use.'],
        // Kimi, Qwen, DeepSeek and gateways
        ['tool_choice: auto while thinking', "tool_choice 'required' is incompatible with thinking enabled"],
        ['tool_choice: auto', 'tool_choice is one of the strings that should be ["none", "auto"]'],
        [
          'messages.reasoning_content: left out',
          'Please remove the reasoning_content from your message to reduce traffic',
        ],
        ['presence_penalty: left out', 'grok-3-mini不支持参数：presencePenalty'],
        // Cohere, Groq, Fireworks, Google and NIM
        [
          'strict: left out',
          "unknown field: parameter 'strict' is not a valid field. For proper usage, please refer to",
        ],
        ['messages.reasoning: left out', "for 'role:assistant' [('messages.1' : property 'reasoning' is unsupported)]"],
        [
          'messages.reasoning: left out',
          "Extra inputs are not permitted, field: 'messages[8].reasoning', value: 'a seed'",
        ],
        ['strict: left out', `Unknown name "strict" at 'tools[0].function_declarations[0]': Cannot find field.`],
        ['parallel_tool_calls: left out', 'Validation: Unsupported parameter(s): `parallel_tool_calls`'],
        // vLLM and llama.cpp
        [
          'max_tokens: max_completion_tokens',
          "[{'type': 'extra_forbidden', 'loc': ('body', 'max_tokens'), 'input': 8}]",
        ],
        ['logit_bias: left out', 'The min_p, logit_bias parameters are not yet supported with speculative decoding.'],
        ['logprobs: left out', 'logprobs is not supported with tools + stream'],
        ['tool_choice: auto', 'Invalid tool_choice: required'],
      ] as const
    ).map(([expected, words]): [string, JsonObject] => [expected, said(words)]),
    [
      'seed: left out',
      { message: 'invalid input error', code: 'Invalid input', details: detail('body', 'seed').detail! },
      { status: 422 },
    ],
    ['seed: left out', { issues: [{ code: 'unrecognized_keys', keys: ['seed'] }], name: 'ZodError' }],
    ['tool_choice: auto', { detail: [{ type: 'literal_error', loc: ['body', 'tool_choice', 'any'], msg: "'auto'" }] }],
    [
      'max_tokens: at most 8192',
      said('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'),
      {
        sent: { messages: [] },
      },
    ],
  ])('%s', (expected, error, refused = {}) => expect(read(error, refused)).toBe(expected));
});

describe('nothing is learned from', () => {
  it.each<[string, JsonObject, Refused?]>([
    ['a value out of its range', said("Invalid 'temperature': must be between 0 and 2", { param: 'temperature' })],
    [
      'a limit that is too large',
      said('max_tokens is too large: 99999. This model supports at most 16384 completion tokens.'),
    ],
    ['a conversation that is too long', said("This model's maximum context length is 8192 tokens. Reduce max_tokens.")],
    [
      'a model that does not exist',
      said('The model `m` does not exist or you do not have access to it.'),
      { status: 404 },
    ],
    ['a model without tools', said('No endpoints found that support tool use.'), { status: 404 }],
    ['a setting that was not sent', said("Unsupported parameter: 'logprobs'"), { sent: REQUEST }],
    ['a parameter that changes the task', said("Unknown parameter: 'foo'"), { sent: { ...REQUEST, foo: 1 } }],
    ['an error of the host', said("Unsupported parameter: 'seed'"), { status: 500 }],
    ['a wrong key', said("Unsupported parameter: 'seed'"), { status: 401 }],
    [
      'a tool choice set in the run',
      said('tool_choice is not supported'),
      { sent: { ...REQUEST, tool_choice: 'none' } },
    ],
    ...[
      "Invalid schema for function 'f': In context=('properties', 'seed'), 'minimum' is not permitted.",
      "Tools: 'seed' is not a supported tool; attempted to call tool 'seed' which is not allowed",
      "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that is not empty.",
      'Tool choice is required, but model did not call a tool',
      'When using `tool_choice`, `tools` must be set.',
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      "'parallel_tool_calls' is only allowed when 'tools' are specified.",
      "ollama does not support parameters: ['tools', 'tool_choice'], for model=m.",
      'unknown field `store`, expected one of `model`, `temperature`, `top_p`',
      "Unsupported parameter: 'store'. Supported parameters are: temperature, top_p, seed.",
      "[{'type': 'extra_forbidden', 'loc': ('body', 'store'), 'input': {'temperature': 0}}]",
      "Extra inputs are not permitted, field: 'messages[0].foo', value: 'set the temperature'",
      "Unsupported content: 'Do not use a seed or a temperature.'",
      'This model does not support images. Set temperature to a lower value.',
      'Tool call validation failed: `/temperature`: additional property seed not allowed',
      "Unsupported type for 'temperature': expected a number, but got a string instead.",
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
      'An unexpected error occurred at temperature 0',
      'Model bytedance-seed-1.6 is not supported',
      'Input validation error: `temperature` must be strictly positive',
      'json: cannot unmarshal number 0.5 into Go struct field ChatCompletionRequest.seed of type int',
      'temperature must be 1 or lower',
      'No endpoints found that can handle the requested parameters.',
    ].map((words): [string, JsonObject] => [words, said(words)]),
    ['a parameter of a tool', { message: 'Not allowed', param: 'tools[0].function.parameters.properties.seed' }],
    [
      'a parameter that is not a setting',
      said("Unknown parameter: 'store'. Did you mean 'seed'?", { param: 'store', code: 'unknown_parameter' }),
    ],
  ])('%s', (_what, error, refused = {}) => expect(read(error, refused)).toBeUndefined());

  it('endless text, and returns at once', () => {
    const words = `${'messages.'.repeat(40_000)} "seed" is not supported`;
    expect(read(said(words))).toBeUndefined();
  });
});

it('a request is adapted to its model, and otherwise unchanged', () => {
  const ways: SettingChanges = {
    max_completion_tokens: 'max_tokens',
    temperature: 'left out',
    strict: 'left out',
    logprobs: 'left out',
    tool_choice: 'auto while thinking',
    'messages.annotations': 'left out',
    'messages.tool_calls.index': 'left out',
    'messages.reasoning_content': 'sent back',
  };
  const { body, adjusted } = adaptRequest(REQUEST, ways);
  const { strict: _strict, ...described } = TOOL.function;
  const { index: _index, ...call } = CALL;
  const { temperature: _temperature, ...rest } = REQUEST;
  expect(body).toEqual({
    ...rest,
    tools: [{ ...TOOL, function: described }],
    tool_choice: 'auto',
    messages: [
      (REQUEST.messages as JsonObject[])[0],
      { role: 'assistant', content: null, reasoning_content: 'Hm.', refusal: null, tool_calls: [call] },
      (REQUEST.messages as JsonObject[])[2],
    ],
  });
  expect(Object.keys(adjusted).sort()).toEqual([
    'messages.annotations',
    'messages.tool_calls.index',
    'strict',
    'temperature',
    'tool_choice',
  ]);
});

it('a limit that is refused under both names is left out, in either order', () => {
  const limits: SettingChanges[] = [
    { max_completion_tokens: 'left out', max_tokens: 'max_completion_tokens' },
    { max_tokens: 'left out', max_completion_tokens: 'max_tokens' },
  ];
  for (const ways of limits)
    for (const limit of ['max_tokens', 'max_completion_tokens'])
      expect(adaptRequest({ [limit]: 5 }, ways).body).toEqual({});
});
