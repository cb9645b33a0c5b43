import { withoutStrict } from '#lib/contracts/strict-tools';
import type { Json, JsonObject } from '#lib/contracts/json/json';

/** Stands in a stored request for the tools of its case. The version of the suite has them, and they are most bytes. */
export const TOOLS_PLACEHOLDER = '(the tools of the case)';

/** Stands in a stored request for the tools of its case without `strict`, which the model refuses. */
export const STRICTLESS_TOOLS_PLACEHOLDER = '(the tools of the case, without strict)';

/** Stands in a stored request of a chain for the messages of the request before, so that they are stored once. */
export const EARLIER_MESSAGES_PLACEHOLDER = '(the messages of the request before)';

/** Restores stored requests as they were sent. */
export function restoreRequests(requests: readonly JsonObject[], tools: Json[]): JsonObject[] {
  let earlier: Json[] = [];
  return requests.map((request) => {
    const messages = Array.isArray(request.messages) ? request.messages : [];
    const whole = messages[0] === EARLIER_MESSAGES_PLACEHOLDER ? [...earlier, ...messages.slice(1)] : messages;
    earlier = whole;
    return {
      ...request,
      ...(Array.isArray(request.messages) && { messages: whole }),
      ...(request.tools === TOOLS_PLACEHOLDER && { tools }),
      ...(request.tools === STRICTLESS_TOOLS_PLACEHOLDER && { tools: withoutStrict(tools) }),
    };
  });
}
