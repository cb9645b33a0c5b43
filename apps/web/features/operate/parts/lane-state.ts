import type { Lane } from '#lib/contracts/lane';

/** Why a lane sends fewer requests than its limits allow, or none. */
export interface LaneState {
  word: 'active' | 'paused' | 'provider down' | 'blocked' | 'no worker' | 'slowed' | 'unknown';
  /** Its shape, and its colours from styles/layout.css. */
  look: 'passed' | 'failed' | 'partial' | 'waiting';
  shape: string;
  isTrouble: boolean;
}

const STATES: Record<LaneState['word'], Omit<LaneState, 'word'>> = {
  active: { look: 'passed', shape: '●', isTrouble: false },
  slowed: { look: 'waiting', shape: '◐', isTrouble: false },
  unknown: { look: 'waiting', shape: '·', isTrouble: false },
  paused: { look: 'partial', shape: '–', isTrouble: true },
  blocked: { look: 'partial', shape: '◐', isTrouble: true },
  'provider down': { look: 'failed', shape: '○', isTrouble: true },
  'no worker': { look: 'failed', shape: '○', isTrouble: true },
};

type LaneFacts = Pick<Lane, 'paused_at' | 'now' | 'backlog' | 'in_flight'>;

function wordOf(
  { paused_at: pausedAt, now, backlog, in_flight: inFlight }: LaneFacts,
  alive: number | null | undefined,
) {
  if (pausedAt !== null) return 'paused';
  if (now?.breaker.state === 'open') return 'provider down';
  if (now && now.blocked_until !== null) return 'blocked';
  // A lane without work needs no worker.
  if (alive === 0 && backlog + inFlight > 0) return 'no worker';
  if (!now) return 'unknown';
  return now.adaptive_factor < 1 ? 'slowed' : 'active';
}

/** @param alive number of live workers; null or undefined if unknown */
export function stateOfLane(lane: LaneFacts, alive: number | null | undefined): LaneState {
  const word = wordOf(lane, alive);
  return { word, ...STATES[word] };
}
