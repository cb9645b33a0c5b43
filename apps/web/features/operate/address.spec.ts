import { daysOf } from './address.js';

it.each([
  [undefined, '2026-03-31T23:59:59Z', '2026-03-01', '2026-03-31'],
  ['last_month', '2026-03-31T23:59:59Z', '2026-02-01', '2026-02-28'],
  ['last_month', '2026-01-01T00:00:00Z', '2025-12-01', '2025-12-31'],
  ['last_30_days', '2026-03-02T00:00:00Z', '2026-02-01', '2026-03-02'],
] as const)('the span %s of %s is %s to %s', (span, now, from, to) => {
  expect(daysOf(span, Date.parse(now))).toEqual({ from, to });
});
