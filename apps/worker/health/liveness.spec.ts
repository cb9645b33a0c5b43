import { updateSuspects, whyStuck, type IdleLane, type SuspectLane } from './liveness.js';

const idle = (more: Partial<IdleLane> = {}): IdleLane => ({
  id: 'a',
  providers: 'sim',
  queued: 3,
  freeSlots: 4,
  started: 10,
  ...more,
});
const after = (checks: (IdleLane | undefined)[]): string[] =>
  whyStuck(checks.reduce<SuspectLane[]>((before, lane) => updateSuspects(before, lane ? [lane] : []), []));
const times = (n: number, lane = idle()): IdleLane[] => Array.from({ length: n }, () => lane);

it('a worker is stuck when it started no queued item despite free slots at seven checks in a row', () => {
  expect(after(times(6))).toEqual([]);
  expect(after(times(7))).toEqual([
    '3 items for sim are queued and this process has 4 free slots for them, but it has started none in 30 s.',
  ]);
});

it('a worker is not stuck when it started an item meanwhile or the queue was empty at one check', () => {
  expect(after([...times(6), ...times(6, idle({ started: 11 }))])).toEqual([]);
  expect(after([...times(6), undefined, ...times(6)])).toEqual([]);
});

it('work in one lane does not excuse another', () => {
  let suspects: SuspectLane[] = [];
  for (let check = 0; check < 7; check++)
    suspects = updateSuspects(suspects, [idle(), idle({ id: 'b', providers: 'busy', started: check })]);
  expect(whyStuck(suspects)).toEqual([expect.stringContaining('for sim')]);
});
