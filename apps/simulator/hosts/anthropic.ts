import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { requireList } from '../formats/format.js';
import type { Host, Refusal } from './host.js';

const COMBINATORS = ['oneOf', 'allOf', 'anyOf'];

function refuseTools(value: unknown): Refusal | undefined {
  const index = (value as JsonObject[]).findIndex(
    ({ input_schema: schema }) => isObject(schema) && COMBINATORS.some((key) => key in schema),
  );
  return index < 0
    ? undefined
    : {
        message:
          `tools.${index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top ` +
          'level',
      };
}

/** After the last user message, an assistant message with calls must begin with the thinking block that led to them. */
function refuseMissingThoughts(body: JsonObject): Refusal | undefined {
  const messages = requireList(body.messages);
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const blocks = requireList(messages[index]?.content);
  const isAnswered = requireList(messages.at(-1)?.content).every(({ type }) => type === 'tool_result');
  const calls = blocks.some(({ type }) => type === 'tool_use');
  if (!isAnswered || !calls || blocks[0]!.type === 'thinking') return undefined;
  return {
    message:
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found ` +
      `\`${String(blocks[0]!.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a ` +
      'thinking block.',
  };
}

/**
 * A Claude model that always thinks, requested or not. The schema error messages are from memory. Temperatures, names
 * and ids are checked by the format itself.
 */
export const anthropic: Host = {
  about: "A Claude that thinks, in Anthropic's format: forces no call, wants its thoughts back.",
  format: 'anthropic',
  refuses: {
    tool_choice: (value) =>
      isObject(value) && (value.type === 'any' || value.type === 'tool')
        ? { message: 'Thinking may not be enabled when tool_choice forces tool use.' }
        : undefined,
    tools: refuseTools,
  },
  refusesBody: refuseMissingThoughts,
  reasoning: () => 40,
  sends: () => ({ message: { thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'c2lnbmF0dXJl' }] } }),
};
