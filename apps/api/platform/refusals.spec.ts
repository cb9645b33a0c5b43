import type { Pool } from '#lib/db/connection/pool';
import { createLogger } from '#lib/runtime/logger';
import { Refusals, type Refusal } from './refusals.js';

interface Row {
  subject: string;
  teamId: string | null;
  action: string;
  count: number;
}

/** What would be written, while Postgres is there. */
function storeOf() {
  const rows = new Map<string, Row>();
  const state = { isAway: false, rows };
  const query = async (_text: string, [ids, actions, subjects, ...more]: unknown[][]) => {
    if (state.isAway) throw new Error('connection lost');
    for (const [n, id] of (ids as string[]).entries()) {
      const count = (rows.get(id)?.count ?? 0) + (more.at(-1) as number[])[n]!;
      const teamId = more[1]![n] as string | null;
      rows.set(id, { action: actions![n] as string, subject: subjects![n] as string, teamId, count });
    }
  };
  return { state, refusals: new Refusals({ query } as unknown as Pool, createLogger('api', 'silent')) };
}

const sum = (rows: Iterable<Row>): number => [...rows].reduce((total, { count }) => total + count, 0);
const from = (address: string, route: number): Refusal => ({
  action: 'refused.sign_in',
  subject: `GET /api/${route}`,
  request: { id: null, address },
});

it('one caller makes a few rows a minute, all of them together a limited number, and none is left out', async () => {
  const { state, refusals } = storeOf();
  const count = (work: () => void): Promise<void> => (work(), refusals.flush());
  await count(() => Array.from({ length: 500 }, (_, n) => refusals.note(from('192.0.2.1', n % 100))));
  // A minute may end meanwhile.
  expect(state.rows.size).toBeLessThanOrEqual(2 * 11);
  expect(sum(state.rows.values())).toBe(500);
  await count(() => {
    for (let n = 0; n < 5000; n++) refusals.note(from(`198.51.${n >> 8}.${n & 255}`, 1));
  });
  expect(state.rows.size).toBeLessThanOrEqual(2 * 202);
  expect(sum(state.rows.values())).toBe(5500);
  expect(new Set([...state.rows.values()].map(({ action }) => action))).toEqual(
    new Set(['refused.sign_in', 'refused.other']),
  );
});

it('a team, or nobody, takes a share of the rows of a minute, and what is beyond stays its own', async () => {
  const { state, refusals } = storeOf();
  const of = (teamId: string | undefined, n: number): Refusal => ({
    ...from(`198.51.${n >> 8}.${n & 255}`, 1),
    caller: teamId === undefined ? undefined : { teamId, userId: `user ${n}` },
  });
  for (const team of [undefined, 'first', 'second', 'third', 'fourth'])
    for (let n = 0; n < 1000; n++) refusals.note(of(team, n));
  for (let n = 0; n < 10; n++) refusals.note(of('fifth', n));
  await refusals.flush();
  const counts = Map.groupBy(state.rows.values(), ({ teamId }) => teamId);
  expect([...counts].map(([team, rows]) => [team, sum(rows)])).toEqual([
    ...[null, 'first', 'second', 'third', 'fourth'].map((team) => [team, 1000]),
    ['fifth', 10],
  ]);
  for (const rows of counts.values()) expect(rows.length).toBeLessThanOrEqual(2 * 201);
});

it('an IPv6 network is one caller', async () => {
  const { state, refusals } = storeOf();
  for (let n = 0; n < 100; n++) refusals.note(from(`2001:db8:1:2::${n.toString(16)}`, 1));
  await refusals.flush();
  expect(state.rows.size).toBeLessThanOrEqual(2);
});

it('refusals wait while Postgres is away, and are counted once it is back', async () => {
  const { state, refusals } = storeOf();
  state.isAway = true;
  for (let n = 0; n < 3; n++) {
    refusals.note(from('192.0.2.1', 1));
    await refusals.flush();
  }
  expect(state.rows.size).toBe(0);
  state.isAway = false;
  await refusals.flush();
  expect(sum(state.rows.values())).toBe(3);
});
