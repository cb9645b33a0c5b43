import type { JsonObject } from './json/json.js';
import { jsonPointer, type InputError } from './input/problem.js';
import { jsonObject } from './tool.js';

/**
 * What a request says by the settings, the suite and the target of its run alone, by the way to say it there.
 * Beside OpenAI's words they are those of the other formats, those by which routers and proxies (OpenRouter,
 * LiteLLM) answer with another model or none, and those that put a stored conversation, another prompt or more
 * tools beside the case's.
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
  'name in params itself what stands in it': ['extra_body'],
};
export const RESERVED_PARAMS: readonly string[] = Object.values(RESERVED).flat();

/** Servers take several spellings for one: Go ignores case, Protocol Buffers know two forms of each name. */
const plain = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/[_-]/g, '');
const WAY_OUT: ReadonlyMap<string, string> = new Map(
  Object.entries(RESERVED).flatMap(([wayOut, names]) => names.map((name) => [plain(name), wayOut])),
);

/** Parameters of requests. They decide nothing that the run decides; see `reservedIn`. */
export const Params = jsonObject.meta({
  type: 'object',
  additionalProperties: {},
  description:
    'Sent with each request. Parameters that the run itself sets are refused with 422, in any spelling: ' +
    `${RESERVED_PARAMS.join(', ')}.`,
});

/** What parameters name that is not theirs to decide, and the way out. `path`: where they stand. */
export function findReservedParams(params: JsonObject, ...path: PropertyKey[]): InputError[] {
  return Object.keys(params).flatMap((name) => {
    const wayOut = WAY_OUT.get(plain(name));
    return wayOut === undefined
      ? []
      : [{ path: jsonPointer([...path, name]), message: `"${name}" is the run's own and no parameter: ${wayOut}.` }];
  });
}
