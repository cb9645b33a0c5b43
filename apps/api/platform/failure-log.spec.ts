import type { Logger } from '#lib/runtime/logger';
import { until } from '../../../test/until.js';
import { FailureLog } from './failure-log.js';

it('failed sign-ins of an address take one line at once and one for the rest, many addresses share one', async () => {
  const lines: unknown[] = [];
  const log = new FailureLog({ warn: (facts: unknown) => lines.push(facts) } as unknown as Logger, 300);
  for (let n = 0; n < 50; n++) log.note('192.0.2.1', n ? 'GET /api/me' : 'POST /api/session');
  for (let n = 0; n < 500; n++) log.note(`198.51.100.${n}`, 'GET /api/me');
  const first = { address: '192.0.2.1', route: 'POST /api/session', failures: 1 };
  expect([lines.length, lines[0]]).toEqual([101, first]);
  expect(lines.at(-1)).toEqual({ address: 'other addresses', route: 'GET /api/me', failures: 1 });
  await until(() => lines.length === 103, { what: 'what came meanwhile' });
  const rest = [
    { address: '192.0.2.1', route: 'GET /api/me', failures: 49 },
    { address: 'other addresses', route: 'GET /api/me', failures: 400 },
  ];
  expect(lines.slice(101)).toEqual(rest);
});
