import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { requireList } from '../formats/format.js';
import type { Host, Refusal } from './host.js';

const SETTINGS = [
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'responseMimeType',
  'responseJsonSchema',
  'thinkingConfig',
  'seed',
];

/** The first call of a turn must carry its signature. */
function refuseUnsigned(body: JsonObject): Refusal | undefined {
  for (const [position, { parts }] of requireList(body.contents).entries()) {
    const call = requireList(parts).find(({ functionCall }) => isObject(functionCall));
    if (!call || call.thoughtSignature !== undefined) continue;
    return {
      message:
        'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
        'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function ' +
        `call \`default_api:${String((call.functionCall as JsonObject).name)}\`, position ${position + 1}.`,
    };
  }
  return undefined;
}

/** A Gemini thinking model. Not verified: that newer models refuse penalties. */
export const google: Host = {
  about: "A Gemini that thinks, in Google's format: wants its signatures back, refuses penalties; calls have no id.",
  format: 'google',
  refuses: {
    generationConfig: (value) => {
      const unknown = Object.keys(value as JsonObject).find((name) => !SETTINGS.includes(name));
      return unknown === undefined
        ? undefined
        : {
            message:
              `Invalid JSON payload received. Unknown name "${unknown}" at 'generation_config': Cannot find ` +
              'field.',
          };
    },
  },
  refusesBody: refuseUnsigned,
  reasoning: () => 40,
  sends: () => ({ call: { extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } } }),
};
