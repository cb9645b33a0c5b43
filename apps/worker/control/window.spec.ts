import { isWorthFilling, serversOf, slotsOfServer, windowOf } from './window.js';

it('without a request limit, every concurrent request has a slot, and a quarter more items are queued', () => {
  expect(windowOf({ max_concurrency: 80, requests_per_minute: null })).toEqual({ slots: 90, ahead: 20 });
});

it('under a request limit, the window holds what that rate keeps busy at twice the latency', () => {
  const lane = { max_concurrency: 80, requests_per_minute: 600 }; // ten per second
  expect(windowOf(lane, 1000)).toEqual({ slots: 20 + 3, ahead: 5 });
  expect(windowOf(lane, 1)).toEqual({ slots: 3 + 1, ahead: 5 });
  expect(windowOf(lane, 60_000)).toEqual({ slots: 90, ahead: 5 });
  expect(windowOf({ ...lane, requests_per_minute: 1 }, 100)).toEqual({ slots: 2, ahead: 2 });
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
