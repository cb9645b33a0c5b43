import type { JsonObject } from '#lib/contracts/json/json';
import type { CorrectReply } from './correct-reply.js';
import type { ModelState } from './model-state.js';
import type { ChatRequest } from '../formats/chat-completions.js';
import type { CacheUse } from '../prompt-cache/prompt-cache.js';

/** One request to a model, with everything that determines the response. */
export interface ModelRequest {
  request: ChatRequest;
  /** The body as sent: the request itself, or the body it was translated from. */
  wire: JsonObject;
  /** The number in the model's name, or the entry's default. */
  number: number;
  state: ModelState;
  /** The last user message. */
  userText: string;
  /** The key under which the request is counted: the last user message and the round number after it. */
  prompt: string;
  /** How often the model has received this prompt before. It is the only part that changes when a request repeats. */
  repetition: number;
  promptTokens: number;
  /** Reads and writes the model's prompt cache. Called once, and only for a request that gets a reply. */
  useCache(): CacheUse;
  nowMs: number;
  /** The simulator's seed. */
  seed: number;
  /** A number in [0, 1), constant for the same seed, model and conversation; see `chancesOf`. */
  chance(what: string): number;
  /** A number in [0, 1) that differs on each repetition, so that a retry may succeed. */
  chanceNow(what: string): number;
  correctReply(): CorrectReply;
}
