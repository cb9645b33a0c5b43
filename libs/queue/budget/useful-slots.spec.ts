import { usefulSlots, type SizedLane } from './useful-slots.js';

const NOW = Date.UTC(2026, 0, 1);
const open = { factor: 1, blockedUntil: undefined, outage: undefined };
const lane: SizedLane = {
  requests_per_minute: null,
  tokens_per_minute: null,
  max_concurrency: 100,
  paused_at: null,
  pace: { latencyMs: 2000, tokensPerItem: 500 },
  state: open,
  ready: 10_000,
  inFlight: 0,
};
const slots = (of: Partial<SizedLane>): number => usefulSlots({ ...lane, ...of }, NOW);
const outage = { since: NOW, nextProbeAt: NOW, error: 'status 503' };

it('useful slots are what the limits of a lane keep busy, and no more than there are items', () => {
  expect(slots({})).toBe(100);
  expect(slots({ max_concurrency: 2000 })).toBe(2000);
  expect(slots({ max_concurrency: 2000, ready: 3 })).toBe(3);
  expect(slots({ ready: 0, inFlight: 7 })).toBe(7);
  expect(slots({ ready: 0 })).toBe(0);
});

it('a limit of requests or tokens a minute counts at twice the latency', () => {
  expect(slots({ max_concurrency: 2000, requests_per_minute: 60 })).toBe(4);
  expect(slots({ max_concurrency: 2000, tokens_per_minute: 30_000 })).toBe(4);
  expect(slots({ max_concurrency: 2000, requests_per_minute: 600, tokens_per_minute: 30_000 })).toBe(4);
  expect(slots({ requests_per_minute: 60, pace: { latencyMs: 20_000 } })).toBe(40);
  expect(slots({ requests_per_minute: 60, pace: {} })).toBe(10);
  expect(slots({ tokens_per_minute: 30_000, pace: { latencyMs: 2000 } })).toBe(100);
  expect(slots({ requests_per_minute: 1, pace: { latencyMs: 1 } })).toBe(1);
});

it('twenty lanes of one run that asks its models one after the other need the slots of one', () => {
  const lanes = Array.from({ length: 20 }, (_, n) => slots({ ready: n === 0 ? 10_000 : 0 }));
  expect(lanes.reduce((sum, one) => sum + one)).toBe(100);
});

it('a provider that answered 429 lowers them, and without Redis the limits alone count', () => {
  expect(slots({ state: { ...open, factor: 0.5 } })).toBe(50);
  expect(slots({ state: { ...open, factor: 0.001 } })).toBe(1);
  expect(slots({ state: undefined })).toBe(100);
});

it('while a provider is down, one more than what is in flight is useful', () => {
  expect(slots({ state: { ...open, outage }, inFlight: 12 })).toBe(13);
  expect(slots({ state: { ...open, outage }, inFlight: 12, ready: 0 })).toBe(12);
});

it('in a paused lane, or one that is blocked for more than a minute, only what is in flight is', () => {
  expect(slots({ paused_at: new Date(NOW), inFlight: 12 })).toBe(12);
  expect(slots({ state: { ...open, blockedUntil: NOW + 61_000 }, inFlight: 12 })).toBe(12);
  expect(slots({ state: { ...open, blockedUntil: NOW + 59_000 }, inFlight: 12 })).toBe(100);
  expect(slots({ state: { ...open, blockedUntil: NOW + 61_000, outage }, inFlight: 0 })).toBe(0);
});
