import { argumentsIn } from '#lib/contracts/call-fields';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { badBody } from '../../replies/host-failure.js';
import { argumentsText, endedReply, type ReplyFormat, type ReplyReader } from '../../replies/model-reply.js';
import { readAnthropicUsage } from '../../replies/read-usage.js';

const BLOCKS = new Set(['text', 'tool_use', 'thinking', 'redacted_thinking', 'server_tool_use', 'mcp_tool_use']);

/** Reads a message of Anthropic's API. Compatible hosts omit its type. */
export const readAnthropicReply: ReplyReader = (body) => {
  const { type, content } = body;
  if (type !== 'message' && (type !== undefined || !looksLikeMessage(body))) return undefined;
  if (typeof content !== 'string' && !Array.isArray(content))
    return badBody('"content" must be a list of blocks, as Anthropic gives it.');
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content.filter(isObject);
  if (blocks.length < content.length && Array.isArray(content)) return badBody('"content" must be a list of blocks.');
  const texts = blocks.flatMap((block) =>
    block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  const calls = blocks.filter((block) => block.type === 'tool_use');
  const thinks = blocks.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking');
  const refusal = refusalIn(body);
  return endedReply(
    {
      message: {
        role: 'assistant',
        content: texts.length > 0 ? texts.join('') : null,
        ...(calls.length > 0 && {
          tool_calls: calls.map((call) => ({
            id: call.id ?? null,
            type: 'function',
            function: { name: call.name ?? '', arguments: argumentsText(argumentsIn(call)) },
          })),
        }),
        ...(typeof refusal === 'string' && { refusal }),
        // A thinking model expects its signed thoughts back with the results of its calls, in their original places.
        ...(thinks && { content_blocks: blocks }),
      },
      usage: readAnthropicUsage(body.usage),
    },
    body.stop_reason,
  );
};

export const anthropicReplies: ReplyFormat = {
  readAs: 'anthropic.messages',
  looks: 'an Anthropic message {type: "message", content: [...]}',
  read: readAnthropicReply,
};

const looksLikeMessage = ({ content, role, stop_reason: reason }: JsonObject): boolean =>
  Array.isArray(content) &&
  (role === 'assistant' || reason !== undefined) &&
  content.every((block) => isObject(block) && BLOCKS.has(block.type as string)) &&
  (reason !== undefined || content.some((block) => (block as JsonObject).type === 'tool_use'));

function refusalIn({ stop_reason: reason, stop_details: details }: JsonObject): Json | undefined {
  return reason === 'refusal' && isObject(details) ? (details.explanation ?? details.category) : undefined;
}
