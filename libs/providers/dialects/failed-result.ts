import type { JsonObject } from '#lib/contracts/json/json';

/** Of a tool message: what the failed tool said, for formats that have a place for it. It is never sent as a field. */
const FAILED = Symbol('what a failed tool said');

/** The message of a tool that failed. */
export const failedResult = (callId: string, said: string): JsonObject => ({
  role: 'tool',
  tool_call_id: callId,
  content: `Error: ${said}`,
  ...{ [FAILED]: said },
});

/** What the failed tool of a message said; undefined if none failed. */
export const failureIn = (message: JsonObject): string | undefined => (message as { [FAILED]?: string })[FAILED];
