import type { ModelRequest } from './model-request.js';
import type { KeptBodies } from './model-state.js';
import type { Reply, ResponsePlan } from '../formats/chat-completions.js';

export interface Behaviour {
  about: string;
  /** What the number in `name-<number>` means. Without this, it is a latency in milliseconds. */
  number?: { means: 'ms' | 'percent' | 'per minute'; example: number };
  latencyMs?: (asked: ModelRequest) => number;
  /** The reply of a model that is up. */
  reply?: (asked: ModelRequest) => Reply;
  /** A response other than an ordinary reply; undefined for the ordinary reply. */
  respond?: (asked: ModelRequest) => ResponsePlan | undefined;
  /** The headers of an ordinary reply. */
  headers?: (asked: ModelRequest) => Record<string, string>;
  /** How many of its requests can be read again, if not as many as of others. */
  kept?: KeptBodies;
}
