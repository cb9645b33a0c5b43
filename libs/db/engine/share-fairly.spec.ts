import fc from '../../../test/fast-check.js';
import { shareFairly, type Backlog } from './share-fairly.js';

type Shares = ReturnType<typeof shareFairly>;

/** Maximum number of items handed out in one turn. */
const QUANTUM = 4;

/** A target as a fast-check value; its run and user follow from its place in the surrounding lists. */
const work = fc.record({ n: fc.nat(40), begun: fc.nat(20), redo: fc.nat(10), vtime: fc.nat(30) });
const run = fc.record({ targets: fc.array(work, { minLength: 1, maxLength: 3 }), allowed: fc.option(fc.nat(30)) });
const user = fc.record({ vtime: fc.nat(50), runs: fc.array(run, { minLength: 1, maxLength: 3 }) });
const lane = fc.record({ users: fc.array(user, { minLength: 1, maxLength: 4 }), vtime: fc.nat(50), room: fc.nat(120) });
type Lane = typeof lane extends fc.Arbitrary<infer Value> ? Value : never;

const backlogsOf = ({ users }: Pick<Lane, 'users'>): Backlog[] =>
  users.flatMap((one, u) =>
    one.runs.flatMap(({ targets }, r) =>
      targets.map(({ n, begun, redo, vtime }, target) => ({
        runId: `${u}.${r}`,
        accountId: `${u}.${r}`,
        target,
        userId: String(u),
        cursor: Math.min(begun, n),
        n,
        redo,
        vtime,
        userVtime: one.vtime,
      })),
    ),
  );
const allowedOf = ({ users }: Pick<Lane, 'users'>): Map<string, number> =>
  new Map(
    users.flatMap(({ runs }, u) =>
      runs.flatMap(({ allowed }, r) => (allowed === null ? [] : [[`${u}.${r}`, allowed] as const])),
    ),
  );
const share = (of: Lane): Shares => shareFairly(backlogsOf(of), of.room, allowedOf(of), of.vtime);

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);
const has = ({ n, cursor, redo }: Backlog): number => n - cursor + redo;
const given = ({ taken }: Shares, to: Partial<Backlog> = {}): number =>
  sum(
    taken
      .filter((one) => Object.entries(to).every(([key, value]) => one[key as keyof Backlog] === value))
      .map(({ count }) => count),
  );
/** The most a run could be given: everything its targets have, or what its budget allows. */
const couldTake = (runId: string, backlogs: Backlog[], allowed: Map<string, number>): number =>
  Math.min(sum(backlogs.filter((one) => one.runId === runId).map(has)), allowed.get(runId) ?? Infinity);

describe('sharing the room of a lane', () => {
  it('gives nobody more than the room, the target and the budget allow', () => {
    fc.assert(
      fc.property(lane, (of) => {
        const shares = share(of);
        expect(given(shares)).toBeLessThanOrEqual(of.room);
        for (const one of shares.taken) expect(one.count).toBeLessThanOrEqual(has(one));
        for (const [runId, allowed] of allowedOf(of)) expect(given(shares, { runId })).toBeLessThanOrEqual(allowed);
      }),
    );
  });

  it('leaves room only when nobody has more', () => {
    fc.assert(
      fc.property(lane, (of) => {
        const [backlogs, allowed] = [backlogsOf(of), allowedOf(of)];
        const all = sum(
          [...new Set(backlogs.map(({ runId }) => runId))].map((runId) => couldTake(runId, backlogs, allowed)),
        );
        expect(given(share(of))).toBe(Math.min(of.room, all));
      }),
    );
  });

  it('returns each target at most once, and none that gets nothing', () => {
    fc.assert(
      fc.property(lane, (of) => {
        const { taken } = share(of);
        expect(new Set(taken.map(({ runId, target }) => `${runId}:${target}`)).size).toBe(taken.length);
        for (const { count } of taken) expect(count).toBeGreaterThan(0);
      }),
    );
  });

  it('never sets a virtual time back, and advances that of a user by what they got', () => {
    fc.assert(
      fc.property(lane, (of) => {
        const shares = share(of);
        expect(shares.vtime).toBeGreaterThanOrEqual(of.vtime);
        for (const [u, { vtime }] of of.users.entries()) {
          const got = given(shares, { userId: String(u) });
          expect(shares.users.get(String(u))).toBe(got ? Math.max(vtime, of.vtime) + got : undefined);
        }
        const before = new Map(backlogsOf(of).map((one) => [`${one.runId}:${one.target}`, one.vtime]));
        for (const { runId, target, vtime, count } of shares.taken)
          expect(vtime).toBeGreaterThanOrEqual(before.get(`${runId}:${target}`)! + count);
      }),
    );
  });

  it('gives busy users that start together the same, up to a quantum, however many runs they have', () => {
    fc.assert(
      fc.property(lane, (of) => {
        const together = { ...of, users: of.users.map((one) => ({ ...one, vtime: 7 })) };
        const [shares, backlogs, allowed] = [share(together), backlogsOf(together), allowedOf(together)];
        const ofUser = of.users.map(({ runs }, u) => ({
          got: given(shares, { userId: String(u) }),
          has: sum(runs.map((_run, r) => couldTake(`${u}.${r}`, backlogs, allowed))),
        }));
        for (const waiting of ofUser.filter(({ got, has }) => got < has))
          for (const { got } of ofUser) expect(got - waiting.got).toBeLessThanOrEqual(QUANTUM);
      }),
    );
  });

  it('gives busy runs of a user that start together the same, up to a quantum', () => {
    fc.assert(
      fc.property(lane, (of) => {
        const together = {
          ...of,
          users: of.users.map((one) => ({
            ...one,
            runs: one.runs.map((each) => ({
              ...each,
              targets: each.targets.map((target) => ({ ...target, vtime: 3 })),
            })),
          })),
        };
        const [shares, backlogs, allowed] = [share(together), backlogsOf(together), allowedOf(together)];
        for (const [u, { runs }] of of.users.entries()) {
          const ofRun = runs.map((_run, r) => ({
            got: given(shares, { runId: `${u}.${r}` }),
            has: couldTake(`${u}.${r}`, backlogs, allowed),
          }));
          for (const waiting of ofRun.filter(({ got, has }) => got < has))
            for (const { got } of ofRun) expect(got - waiting.got).toBeLessThanOrEqual(QUANTUM);
        }
      }),
    );
  });

  it('does not depend on the order of the backlogs, except for ties', () => {
    // Items are whole, so times with different fractions never tie; but runs further apart than a quantum would tie,
    // because they are drawn together.
    const unlike = (of: Lane): Backlog[] =>
      backlogsOf(of).map((one, n) => ({
        ...one,
        userVtime: one.userVtime + (Number(one.userId) + 1) / 64,
        vtime: (one.vtime % QUANTUM) + (n + 1) / 64,
      }));
    const shuffled = lane.chain((of) =>
      fc.tuple(fc.constant(of), fc.shuffledSubarray(unlike(of), { minLength: unlike(of).length })),
    );
    fc.assert(
      fc.property(shuffled, ([of, inOtherOrder]) => {
        const inOrder = ({ taken, users, vtime }: Shares) => ({
          taken: taken.sort((a, b) => (a.runId + a.target < b.runId + b.target ? -1 : 1)),
          users: [...users].sort(),
          vtime,
        });
        const shareOf = (backlogs: Backlog[]): Shares => shareFairly(backlogs, of.room, allowedOf(of), 0);
        expect(inOrder(shareOf(inOtherOrder))).toEqual(inOrder(shareOf(unlike(of))));
      }),
    );
  });
});

/**
 * Plays turn after turn and carries over the state that the dispatcher keeps: cursors and virtual times. Runs arrive at
 * different turns, and are away for some.
 */
function play({
  users,
  rooms,
}: {
  users: { runs: { at: number; away: number[]; items: number }[] }[];
  rooms: number[];
}) {
  const userVtimes = new Map<string, number>();
  let vtime = 0;
  const targets: (Backlog & { at: number; away: number[] })[] = users.flatMap(({ runs }, u) =>
    runs.map(({ at, away, items }, r) => ({
      at,
      away,
      runId: `${u}.${r}`,
      accountId: `${u}.${r}`,
      target: 0,
      userId: String(u),
      cursor: 0,
      n: items,
      redo: 0,
      vtime: 0,
      userVtime: 0,
    })),
  );
  return rooms.map((room, turn) => {
    const active = targets.filter((one) => one.at <= turn && !one.away.includes(turn) && one.cursor < one.n);
    const shares = shareFairly(
      active.map((one) => ({ ...one, userVtime: userVtimes.get(one.userId) ?? 0 })),
      room,
      new Map(),
      vtime,
    );
    for (const { runId, count, vtime: served } of shares.taken) {
      const target = targets.find((one) => one.runId === runId)!;
      Object.assign(target, { cursor: target.cursor + count, vtime: served });
    }
    if (shares.taken.length) vtime = shares.vtime;
    for (const [userId, served] of shares.users) userVtimes.set(userId, served);
    /** The users and runs that had work before and after this turn. */
    const busy = active.filter((one) => one.cursor < one.n);
    return {
      shares,
      busy: { userId: new Set(busy.map(({ userId }) => userId)), runId: new Set(busy.map(({ runId }) => runId)) },
    };
  });
}

describe('sharing turn after turn', () => {
  const arriving = fc.record({
    at: fc.nat(25),
    away: fc.uniqueArray(fc.nat(30), { maxLength: 20 }),
    items: fc.integer({ min: 1, max: 300 }),
  });
  const days = fc.record({
    users: fc.array(fc.record({ runs: fc.array(arriving, { minLength: 1, maxLength: 4 }) }), {
      minLength: 2,
      maxLength: 4,
    }),
    rooms: fc.array(fc.nat(30), { minLength: 30, maxLength: 40 }),
  });

  it('a new run gets its turn although there is room for only one item at a time', () => {
    const one = { away: [], items: 1000 };
    const turns = play({
      users: [
        {
          runs: [
            { at: 0, ...one },
            { at: 5, ...one },
          ],
        },
      ],
      rooms: Array(20).fill(1),
    });
    expect(given(turns[5]!.shares, { runId: '0.1' })).toBe(1);
  });

  /** Any two that both have work receive the same, up to a tolerance, over any interval of turns. */
  function expectAlike(
    turns: ReturnType<typeof play>,
    key: 'userId' | 'runId',
    pairs: [string, string][],
    butFor: number,
  ): void {
    let widest = 0;
    for (const [one, other] of pairs) {
      let [ahead, least, most] = [0, 0, 0];
      for (const { shares, busy } of turns) {
        if (!busy[key].has(one) || !busy[key].has(other)) {
          [ahead, least, most] = [0, 0, 0];
          continue;
        }
        ahead += given(shares, { [key]: one }) - given(shares, { [key]: other });
        [least, most] = [Math.min(least, ahead), Math.max(most, ahead)];
        widest = Math.max(widest, most - least);
      }
    }
    expect(widest).toBeLessThanOrEqual(butFor);
  }
  const pairsOf = (names: string[]): [string, string][] =>
    names.flatMap((one, n) => names.slice(n + 1).map((other): [string, string] => [one, other]));

  // A quantum each, as start-time fair queueing guarantees.
  it('a new or returning user neither waits behind the others nor catches up for the time before', () => {
    fc.assert(
      fc.property(days, (of) =>
        expectAlike(play(of), 'userId', pairsOf(of.users.map((_user, u) => String(u))), 2 * QUANTUM),
      ),
      { numRuns: 300 },
    );
  });

  // And one more for each other run that comes back far ahead of both, because both are then drawn up to it.
  it('a new run neither waits behind the other runs of its user nor catches up', () => {
    fc.assert(
      fc.property(days, (of) => {
        const turns = play(of);
        for (const [u, { runs }] of of.users.entries())
          expectAlike(turns, 'runId', pairsOf(runs.map((_run, r) => `${u}.${r}`)), runs.length * QUANTUM);
      }),
      { numRuns: 300 },
    );
  });
});
