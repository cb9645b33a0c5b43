import { isWorthFilling, serversOf, slotsOfServer, windowOf } from './window.js';

const lane = {
  max_concurrency: 80,
  requests_per_minute: null,
  tokens_per_minute: null,
  pace: {},
  state: undefined,
};

it('without a rate limit, every concurrent request has a slot, and a quarter more items are queued', () => {
  expect(windowOf(lane)).toEqual({ slots: 90, ahead: 20 });
});

it('under a rate limit, the window holds the useful slots and half a second of items', () => {
  const tenASecond = { ...lane, requests_per_minute: 600 };
  expect(windowOf({ ...tenASecond, pace: { latencyMs: 1000 } })).toEqual({ slots: 20 + 3, ahead: 5 });
  expect(windowOf({ ...tenASecond, pace: { latencyMs: 1 } })).toEqual({ slots: 3 + 1, ahead: 5 });
  expect(windowOf({ ...tenASecond, pace: { latencyMs: 60_000 } })).toEqual({ slots: 90, ahead: 5 });
  expect(windowOf({ ...lane, requests_per_minute: 1, pace: { latencyMs: 100 } })).toEqual({ slots: 2, ahead: 2 });
  const byTokens = { ...lane, tokens_per_minute: 600_000, pace: { latencyMs: 1000, tokensPerItem: 1000 } };
  expect(windowOf(byTokens)).toEqual({ slots: 20 + 3, ahead: 5 });
});

it('before a provider that is down or refuses, one item or none is queued', () => {
  const state = { factor: 1, blockedUntil: undefined, outage: undefined };
  const outage = { since: 0, nextProbeAt: 0, error: 'status 503' };
  expect(windowOf({ ...lane, state: { ...state, outage } })).toEqual({ slots: 1, ahead: 0 });
  expect(windowOf({ ...lane, state: { ...state, blockedUntil: 61_000 } }, 0)).toEqual({ slots: 0, ahead: 0 });
});

it('a lane is served by as many workers as have eight slots each, and by two at least', () => {
  expect(serversOf({ max_concurrency: 80 }, 40)).toBe(12);
  expect(serversOf({ max_concurrency: 80 }, 5)).toBe(5);
  expect(serversOf({ max_concurrency: 1 }, 40)).toBe(2);
  expect(serversOf({ max_concurrency: 1 }, 1)).toBe(1);
});

it('the workers that serve a lane divide its slots', () => {
  expect(slotsOfServer({ max_concurrency: 80 }, 1)).toBe(90);
  expect(slotsOfServer({ max_concurrency: 80 }, 2)).toBe(45);
  expect(slotsOfServer({ max_concurrency: 80 }, 12)).toBe(8);
  expect(slotsOfServer({ max_concurrency: 10_000 }, 1)).toBe(500);
});

it('a lane is refilled when a quarter of its queued items is gone', () => {
  const window = { slots: 90, ahead: 20 };
  expect(isWorthFilling({ waiting: true, in_flight: 106 }, window)).toBe(false);
  expect(isWorthFilling({ waiting: true, in_flight: 105 }, window)).toBe(true);
  expect(isWorthFilling({ waiting: false, in_flight: 0 }, window)).toBe(false);
});
