import type { Lane } from '#lib/contracts/lane';
import { laneTable, stateOfLane } from './lane-table.js';

const closed = { state: 'closed', since: null, next_probe_at: null, error: null } as const;
const at = '2026-11-25T00:00:00.000Z';
const now = {
  ...{ requests_in_flight: 3, allowed_at_once: 16, adaptive_factor: 1, blocked_until: null, breaker: closed },
  results_by_minute: [1200, 34],
};
const lane: Lane = {
  ...{ id: 'l', name: 'acme', providers: ['acme', 'beta'], paused_at: null, in_flight: 21, waiting: 18, backlog: 44 },
  limits: { max_concurrency: 16, requests_per_minute: null, tokens_per_minute: null },
  now,
};

test('what is under way and what waits on a lane are its unfinished items together', () => {
  expect(laneTable([lane])[1]!.split(/ {2,}/)).toEqual([
    ...['acme', 'active', '3 of 16', '41', '1,234 results', 'acme, beta'],
  ]);
});

test.each([
  ['active', lane],
  ['paused: 44 items wait', { ...lane, paused_at: at }],
  ['paused: 1 item waits', { ...lane, paused_at: at, backlog: 1 }],
  ['provider down: 44 items wait', { ...lane, now: { ...now, breaker: { ...closed, state: 'open' as const } } }],
  ['slowed to 8 at once', { ...lane, now: { ...now, adaptive_factor: 0.5, allowed_at_once: 8 } }],
  ['unknown: Redis cannot be reached', { ...lane, now: null }],
])('%s', (words, shown) => expect(stateOfLane(shown)).toBe(words));
