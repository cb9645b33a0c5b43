import { errorResponse, jsonResponse, type ResponsePlan } from '../formats/chat-completions.js';
import { requireList } from '../formats/format.js';
import type { Behaviour } from '../models/behaviour.js';
import type { ModelRequest } from '../models/model-request.js';

/** The same refusal in the wording of several hosts. */
const WORDINGS: ((name: string) => ResponsePlan)[] = [
  (name) =>
    errorResponse(400, `Unsupported parameter: '${name}' is not supported with this model.`, 'unsupported_parameter', {
      param: name,
    }),
  (name) =>
    jsonResponse(400, { error: { message: `property '${name}' is unsupported`, type: 'invalid_request_error' } }),
  (name) =>
    jsonResponse(422, {
      object: 'error',
      message: {
        detail: [{ type: 'extra_forbidden', loc: ['body', ...name.split('.')], msg: 'Extra inputs are not permitted' }],
      },
    }),
  (name) =>
    jsonResponse(400, {
      code: 'Client specified an invalid argument',
      error: `Argument not supported on this model: ${name}`,
    }),
  (name) => errorResponse(400, `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`),
];

/**
 * What the nth request is refused for: each setting of the request in turn, then each field of its messages, then
 * unsent settings without end.
 */
function refusedIn({ wire, state }: ModelRequest): string {
  const fields = requireList(wire.messages).flatMap((message, index) =>
    Object.keys(message).map((field) => `messages.${index}.${field}`),
  );
  const names = [...Object.keys(wire), ...fields];
  const turn = state.requests - 1;
  return names[turn] ?? `custom_option_${turn - names.length + 1}`;
}

export const refusesEverything: Behaviour = {
  about: 'A host that refuses each setting and field in turn, then ones that were not sent, forever.',
  respond: (asked) => WORDINGS[(asked.state.requests - 1) % WORDINGS.length]!(refusedIn(asked)),
};
