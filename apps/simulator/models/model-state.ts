import { newLedger, type Ledger, type Prices } from '../ledger.js';
import { PromptCache } from '../prompt-cache/prompt-cache.js';
import type { Bucket } from './rate-limit.js';
import type { JudgeRules } from './judge-rules.js';
import type { MetaRules } from './meta-rules.js';
import type { PromptSensitivity } from './prompt-sensitivity.js';
import type { Script } from './script.js';

/** The state of one model name. */
export interface ModelState {
  requests: number;
  inFlight: number;
  peakInFlight: number;
  /** Requests that the client abandoned before the response. */
  abandoned: number;
  /** Responses by HTTP status, and by `reset` and `half`. */
  answers: Record<string, number>;
  promptTokens: number;
  lastRequestMs: number | null;
  /** How often each prompt was sent. */
  prompts: Map<string, number>;
  /** The last request bodies as received, oldest first. */
  lastBodies: string[];
  off: { status: number | 'reset' | 'hang' } | null;
  bucket?: Bucket;
  limitHeaders: Record<string, string>;
  script?: Script;
  sensitivity?: PromptSensitivity;
  metaRules?: MetaRules;
  judgeRules?: JudgeRules;
  /** How often each request was made, for a parameter-sensitive model. */
  paramsAsked: Map<string, number>;
  promptCache: PromptCache;
  ledger: Ledger;
  prices?: Prices;
}

/** How many distinct prompts of a model are counted. The oldest are dropped, to bound memory. */
const MAX_PROMPTS = 500_000;

/** How many request bodies of a model are kept, and their maximum length. */
export interface KeptBodies {
  bodies: number;
  characters: number;
}
const KEPT: KeptBodies = { bodies: 20, characters: 100_000 };
/** For models whose requests a test inspects. */
export const ALL_KEPT: KeptBodies = { bodies: 500, characters: 500_000 };

export const newState = (): ModelState => ({
  requests: 0,
  inFlight: 0,
  peakInFlight: 0,
  abandoned: 0,
  answers: {},
  promptTokens: 0,
  lastRequestMs: null,
  prompts: new Map(),
  lastBodies: [],
  off: null,
  limitHeaders: {},
  paramsAsked: new Map(),
  promptCache: new PromptCache(),
  ledger: newLedger(),
});

/** Counts a request. @returns how often its prompt was sent before */
export function countRequest(
  state: ModelState,
  { prompt, body, nowMs, kept = KEPT }: { prompt: string; body: string; nowMs: number; kept?: KeptBodies },
): number {
  state.requests++;
  state.inFlight++;
  if (state.inFlight > state.peakInFlight) state.peakInFlight = state.inFlight;
  state.lastRequestMs = nowMs;
  if (body.length <= kept.characters) {
    state.lastBodies.push(body);
    if (state.lastBodies.length > kept.bodies) state.lastBodies.shift();
  }
  const before = state.prompts.get(prompt) ?? 0;
  if (before === 0 && state.prompts.size >= MAX_PROMPTS) state.prompts.delete(state.prompts.keys().next().value!);
  state.prompts.set(prompt, before + 1);
  return before;
}
