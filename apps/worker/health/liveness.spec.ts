import { lookAgain, whyDead, type Idle, type Suspect } from './liveness.js';

const idle = (more: Partial<Idle> = {}): Idle => ({
  id: 'a',
  providers: 'sim',
  queued: 3,
  freeSlots: 4,
  started: 10,
  ...more,
});
const after = (looks: (Idle | undefined)[]): string[] =>
  whyDead(looks.reduce<Suspect[]>((before, lane) => lookAgain(before, lane ? [lane] : []), []));
const times = (n: number, lane = idle()): Idle[] => Array.from({ length: n }, () => lane);

it('a worker is dead when work waited, it had room and started nothing at seven looks in a row', () => {
  expect(after(times(6))).toEqual([]);
  expect(after(times(7))).toEqual([
    '3 items for sim are queued and this process has 4 free slots for them, but it has started none in 30 s.',
  ]);
});

it('it lives when it started one item meanwhile, or nothing waited for it at one look', () => {
  expect(after([...times(6), ...times(6, idle({ started: 11 }))])).toEqual([]);
  expect(after([...times(6), undefined, ...times(6)])).toEqual([]);
});

it('work in one lane does not excuse another', () => {
  let suspects: Suspect[] = [];
  for (let look = 0; look < 7; look++)
    suspects = lookAgain(suspects, [idle(), idle({ id: 'b', providers: 'busy', started: look })]);
  expect(whyDead(suspects)).toEqual([expect.stringContaining('for sim')]);
});
