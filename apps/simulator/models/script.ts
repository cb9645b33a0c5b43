import type { Message } from '../formats/chat-completions.js';

/**
 * One posted reply: an assistant message, or more of the HTTP response: status, headers, body (a string is sent
 * unchanged, anything else as JSON), delay, finish_reason, usage.
 */
export interface ScriptedReply extends Partial<Message> {
  message?: Partial<Message>;
  finish_reason?: string;
  usage?: Record<string, number>;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  delay_ms?: number;
}

/** Replies that are sent in turn, the last one repeatedly. They apply to all prompts, or to one last user message. */
export interface Script {
  replies: ScriptedReply[];
  byPrompt: Map<string, ScriptedReply[]>;
  given: number;
  givenByPrompt: Map<string, number>;
}
