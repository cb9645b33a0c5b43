import type { JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import type { RunConfig } from '#lib/contracts/run-input';
import { wordSet } from '#lib/contracts/word-set';
import { buildRequest } from './build-request.js';
import { DIALECTS } from './formats/formats.js';

const TOOL = { type: 'function', function: { name: 'any', parameters: { type: 'object', properties: {} } } } as const;
/** Fields of requests that are not parameters, in all formats. */
const NO_PARAMS = wordSet('model messages system tools contents systemInstruction input instructions');

/**
 * The parameters sent to a model with these settings, in the format of its provider.
 * @returns adjustments: the settings that the model does not accept, or accepts in another form, in sentences
 */
export function resolveParams(
  settings: Pick<RunConfig, 'temperature' | 'tool_choice' | 'max_tokens' | 'params'>,
  name: string,
  model: { modelId: string; kind: ProviderKind } & Parameters<typeof buildRequest>[0]['model'],
): { params: JsonObject; adjustments: string[] } {
  const { body, warnings } = buildRequest({
    config: settings as RunConfig,
    suite: { systemPrompt: null, tools: [TOOL] },
    input: { prompt: '?' } as never,
    expectsNoCall: false,
    target: { name, modelId: model.modelId, params: {}, systemPrompt: null },
    model,
  });
  const { wire, notes } = DIALECTS[model.kind].toWire(body);
  return {
    params: Object.fromEntries(Object.entries(wire).filter(([key]) => !NO_PARAMS.has(key))),
    adjustments: [...warnings, ...notes].map(({ message }) => message),
  };
}
