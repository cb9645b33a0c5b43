import type { JsonObject } from './json/json.js';
import { jsonPointer, type InputError } from './input/problem.js';
import { jsonObject } from './tool.js';

/**
 * Parameters that only the settings, the suite or the target of a run may decide, with the way to set each. Besides
 * OpenAI's names the list has those of the other formats, those that make routers and proxies (OpenRouter, LiteLLM)
 * answer with another model or none, and those that add a stored conversation, another prompt or more tools to the
 * case's.
 */
const RESERVED = {
  'ask for models in "models"': [
    'model',
    'models',
    'fallbacks',
    'context_window_fallbacks',
    'content_policy_fallbacks',
    'route',
    'preset',
  ],
  'give prompts in the suite, its cases or "system_prompt"': [
    'messages',
    'system',
    'instructions',
    'input',
    'prompt',
    'contents',
    'systemInstruction',
    'previous_response_id',
    'conversation',
    'cachedContent',
    'chat_template',
  ],
  'give tools in the suite': ['tools', 'functions', 'mcp_servers'],
  'use the run\'s "tool_choice"': ['tool_choice', 'function_call', 'toolConfig'],
  'use the run\'s "samples"': ['n', 'candidateCount'],
  'leave it out': ['stream', 'background', 'mock_response', 'mock_tool_calls'],
  'put its fields into params directly': ['extra_body'],
};
export const RESERVED_PARAMS: readonly string[] = Object.values(RESERVED).flat();

/** Servers accept several spellings of a name: Go ignores case, and Protocol Buffers have two forms of each name. */
const normalizeName = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/[_-]/g, '');
const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries(RESERVED).flatMap(([wayOut, names]) => names.map((name) => [normalizeName(name), wayOut])),
);

/** Request parameters. They must not set anything that the run decides: see `findReservedParams`. */
export const Params = jsonObject.meta({
  type: 'object',
  additionalProperties: {},
  description:
    'Sent with each request. Parameters that the run itself sets are refused with 422, in any spelling: ' +
    `${RESERVED_PARAMS.join(', ')}.`,
});

/** Finds parameters that the run decides, and says how to set each instead. `path` is where the parameters are. */
export function findReservedParams(params: JsonObject, ...path: PropertyKey[]): InputError[] {
  return Object.keys(params).flatMap((name) => {
    const wayOut = ADVICE.get(normalizeName(name));
    return wayOut === undefined
      ? []
      : [
          {
            path: jsonPointer([...path, name]),
            message: `"${name}" is the run's own setting, not a parameter: ${wayOut}.`,
          },
        ];
  });
}
