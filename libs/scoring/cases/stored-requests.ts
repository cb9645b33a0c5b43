import { withoutStrict } from '#lib/contracts/strict-tools';
import type { Json, JsonObject } from '#lib/contracts/json/json';

/**
 * Replaces the tools of the case in a stored request. The suite version has them, and they make up most of the bytes.
 */
export const TOOLS_PLACEHOLDER = '(the tools of the case)';

/** Replaces the tools of the case without `strict`, which the model rejects, in a stored request. */
export const STRICTLESS_TOOLS_PLACEHOLDER = '(the tools of the case, without strict)';

/** Replaces the messages of the previous request in a stored request of a chain, so that they are stored once. */
export const EARLIER_MESSAGES_PLACEHOLDER = '(the messages of the request before)';

/** Restores stored requests to the form in which they were sent. */
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
