import type { TokenUsage } from '../ledger.js';
import { hash } from './chance.js';

export interface JsonSchema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
}
export interface Tool {
  type?: string;
  function: { name: string; description?: string; parameters?: JsonSchema };
}
interface ToolCall {
  id?: string;
  type?: string;
  function: { name: string; arguments: unknown };
}
export interface Message {
  role: string;
  content?: unknown;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}
/** The part of a chat completions request that the simulator reads. Everything else is accepted and ignored. */
export interface ChatRequest {
  model: string;
  messages: Message[];
  tools?: Tool[];
  tool_choice?: 'auto' | 'required' | 'none' | { function?: { name?: string } };
  parallel_tool_calls?: boolean;
  temperature?: number;
  top_p?: number;
  seed?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
}

export interface Call {
  name: string;
  /** A string is sent unchanged, even if it is not JSON. */
  arguments: Record<string, unknown> | string;
}
/** A model's reply, before conversion to OpenAI's format. */
export interface Reply {
  content: string | null;
  calls: Call[];
  finish?: 'length' | 'content_filter';
}

/** How the server handles a request: it sends a response, sends half of one, resets the connection, or hangs. */
export type ResponsePlan =
  | {
      do: 'send';
      status: number;
      headers?: Record<string, string>;
      body: string | Buffer;
      delayMs?: number;
      /** Token usage of the reply, for the ledger and for other formats. */
      usage?: TokenUsage;
    }
  | { do: 'half'; body: string }
  | { do: 'reset' }
  | { do: 'hang' };

export const jsonResponse = (
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): ResponsePlan & { do: 'send' } => ({
  do: 'send',
  status,
  body: JSON.stringify(body),
  ...(headers && { headers }),
});

/** An error in OpenAI's format. `more` adds fields to the error object, such as Groq's `failed_generation`. */
export function errorResponse(
  status: number,
  message: string,
  code: string | null = null,
  more: { param?: string; headers?: Record<string, string>; [key: string]: unknown } = {},
): ResponsePlan {
  const { headers, param = null, ...rest } = more;
  const type =
    status === 401
      ? 'authentication_error'
      : status === 429
        ? 'rate_limit_error'
        : status < 500
          ? 'invalid_request_error'
          : 'server_error';
  return jsonResponse(status, { error: { message, type, param, code, ...rest } }, headers);
}

/** Estimates tokens as four characters each, which is close enough for limits and costs. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}

/** A reply as an OpenAI chat completion. Its ids are hashes, so that equal replies have equal ids. */
export function completion(reply: Reply, model: string, used: TokenUsage, idSeed: string): Record<string, unknown> {
  const id = (what: string) => hash(`${idSeed}\u0000${what}`).toString(36);
  const calls = reply.calls.map((call, i) => ({
    id: `call_${id(`call ${i}`)}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const message = {
    role: 'assistant',
    content: reply.content,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: `chatcmpl-${id('completion')}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      { index: 0, message, logprobs: null, finish_reason: reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') },
    ],
    usage: writeUsage(used),
  };
}

/** Usage with OpenAI's field names. */
const writeUsage = ({ prompt, completion: completionTokens, cacheRead, reasoning }: TokenUsage): object => ({
  prompt_tokens: prompt,
  completion_tokens: completionTokens,
  total_tokens: prompt + completionTokens,
  prompt_tokens_details: { cached_tokens: cacheRead },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

export function replyTokens(reply: Reply): number {
  let characters = reply.content?.length ?? 0;
  for (const call of reply.calls) {
    characters +=
      call.name.length + (typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)).length;
  }
  return Math.max(1, Math.ceil(characters / 4));
}
