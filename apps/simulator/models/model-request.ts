import type { JsonObject } from '#lib/contracts/json/json';
import type { CorrectReply } from './correct-reply.js';
import type { ModelState } from './model-state.js';
import type { ChatRequest } from '../formats/chat-completions.js';
import type { CacheUse } from '../prompt-cache/prompt-cache.js';

/** One request to a model, with everything that decides the response. */
export interface ModelRequest {
  request: ChatRequest;
  /** The body as it was sent: the request itself, or what it was translated from. */
  wire: JsonObject;
  /** The number in the model's name, or the entry's default. */
  number: number;
  state: ModelState;
  /** The last user message. */
  userText: string;
  /** The key under which the request is counted: the last user message and the number of the round after it. */
  prompt: string;
  /** How often the model got this prompt before. Only this changes when a request is repeated. */
  repetition: number;
  promptTokens: number;
  /** Reads and writes the prompt cache of the model. Only a request that gets a reply does so, and once. */
  useCache(): CacheUse;
  nowMs: number;
  /** The seed of the simulator. */
  seed: number;
  /** A number in [0, 1) that is the same for the same seed, model and conversation; see `chancesOf`. */
  chance(what: string): number;
  /** A number in [0, 1) that differs in each repetition, so that a retry may succeed. */
  chanceNow(what: string): number;
  correctReply(): CorrectReply;
}
