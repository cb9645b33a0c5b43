import { stateOfLane } from './lane-state.js';

const closed = { state: 'closed', since: null, next_probe_at: null, error: null } as const;
const at = '2026-11-25T00:00:00.000Z';
const now = {
  ...{ requests_in_flight: 0, allowed_at_once: 8, adaptive_factor: 1, blocked_until: null, breaker: closed },
  results_by_minute: [],
};
const lane = { paused_at: null, backlog: 5, in_flight: 0, now };
const down = { ...now, breaker: { state: 'open', since: at, next_probe_at: at, error: 'It refuses.' } as const };

it.each([
  ['active', lane, 2, false],
  ['is paused, whatever its other states', { ...lane, paused_at: at, now: down }, 0, true],
  ['has a provider that is down', { ...lane, now: down }, 2, true],
  ['is blocked for a while', { ...lane, now: { ...now, blocked_until: at } }, 2, true],
  ['has work but no worker', lane, 0, true],
  ['has neither work nor worker', { ...lane, backlog: 0 }, 0, false],
  ['is slowed after a 429 of its provider', { ...lane, now: { ...now, adaptive_factor: 0.5 } }, 2, false],
  ['has an unknown state without Redis', { ...lane, now: null }, null, false],
] as const)('a lane that %s', (_what, told, alive, isTrouble) => {
  expect(stateOfLane(told, alive).isTrouble).toBe(isTrouble);
});

it('shows the first reason', () => {
  expect(stateOfLane({ ...lane, paused_at: at, now: down }, 0).word).toBe('paused');
  expect(stateOfLane({ ...lane, now: down }, 0).word).toBe('provider down');
  expect(stateOfLane(lane, 0).word).toBe('no worker');
  expect(stateOfLane(lane, undefined).word).toBe('active');
});
