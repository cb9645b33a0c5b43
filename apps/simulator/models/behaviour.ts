import type { ModelRequest } from './model-request.js';
import type { KeptBodies } from './model-state.js';
import type { Reply, ResponsePlan } from '../formats/chat-completions.js';

export interface Behaviour {
  about: string;
  /** Meaning of the number in `name-<number>`. Default: a latency in milliseconds. */
  number?: { means: 'ms' | 'percent' | 'per minute'; example: number };
  latencyMs?: (asked: ModelRequest) => number;
  /** The reply, when the model is up. */
  reply?: (asked: ModelRequest) => Reply;
  /** A response other than an ordinary reply; undefined for the ordinary reply. */
  respond?: (asked: ModelRequest) => ResponsePlan | undefined;
  /** The headers of an ordinary reply. */
  headers?: (asked: ModelRequest) => Record<string, string>;
  /** How many request bodies are kept for reading, if not the default. */
  kept?: KeptBodies;
}
