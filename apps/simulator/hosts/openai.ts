import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { requireList } from '../formats/format.js';
import { minimalUsage, refuseEach, type Host, type Refusal } from './host.js';

const unsupported = (param: string): Refusal => ({
  message: `Unsupported parameter: '${param}' is not supported with this model.`,
  code: 'unsupported_parameter',
  param,
});

function refuseTools(value: unknown): Refusal | undefined {
  const tools = Array.isArray(value) ? value.filter(isObject) : [];
  if (tools.length > 128)
    return {
      message:
        `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ` +
        `${tools.length} instead.`,
      code: 'array_above_max_length',
      param: 'tools',
    };
  const index = tools.findIndex(({ function: tool }) => isObject(tool) && tool.strict === true && !isStrict(tool));
  if (index < 0) return undefined;
  const { name } = tools[index]!.function as { name: string };
  return {
    message:
      `Invalid schema for function '${name}': In context=(), 'additionalProperties' is required to be supplied and ` +
      'to be false.',
    code: 'invalid_function_parameters',
    param: `tools[${index}].function.parameters`,
  };
}

const isStrict = ({ parameters }: JsonObject): boolean =>
  isObject(parameters) && (parameters.additionalProperties as unknown) === false;

function refuseLongIds(message: JsonObject, index: number): Refusal | undefined {
  const call = requireList(message.tool_calls).findIndex(({ id }) => typeof id === 'string' && id.length > 40);
  if (call < 0) return undefined;
  const param = `messages[${index}].tool_calls[${call}].id`;
  const { length } = requireList(message.tool_calls)[call]!.id as string;
  return {
    message:
      `Invalid '${param}': string too long. Expected a string with maximum length 40, but got a string with length ` +
      `${length} instead.`,
    code: 'string_above_max_length',
    param,
  };
}

/**
 * An OpenAI reasoning model. From memory: the messages for strict schemas, and that it thinks in multiples of 64
 * tokens.
 */
export const openai: Host = {
  about: 'A reasoning model of OpenAI: refuses max_tokens, temperature and other settings.',
  refuses: {
    max_tokens: {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      code: 'unsupported_parameter',
      param: 'max_tokens',
    },
    temperature: (value) =>
      value === 1
        ? undefined
        : {
            message:
              `Unsupported value: 'temperature' does not support ${String(value)} with this model. Only the default ` +
              '(1) value is supported.',
            code: 'unsupported_value',
            param: 'temperature',
          },
    ...refuseEach(
      ['top_p', 'parallel_tool_calls', 'presence_penalty', 'frequency_penalty', 'stop', 'logprobs', 'logit_bias'],
      unsupported,
    ),
    tools: refuseTools,
  },
  refusesMessage: refuseLongIds,
  sends: () => ({ message: { refusal: null, annotations: [] } }),
  reasoning: () => 64,
  usage: (usage) => ({
    ...minimalUsage(usage),
    prompt_tokens_details: { cached_tokens: usage.cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }),
};
