import { until } from '../../../test/until.js';
import { Bulkhead } from './bulkhead.js';

const failures: [string, unknown][] = [];
const sharesOf = (patienceMs = 20): Bulkhead =>
  new Bulkhead({ atOnce: 2, patienceMs, onFailure: (error, item) => failures.push([error.message, item]) });
const first = (item: string): string => item[0]!;

it('what one item throws is told, and hurts neither its share nor another', async () => {
  const done: string[] = [];
  await sharesOf(10_000).each(['a1', 'a2', 'b1'], first, async (item) => {
    if (item === 'a1') throw new Error('no');
    done.push(item);
  });
  expect([done.sort(), failures]).toEqual([['a2', 'b1'], [['no', 'a1']]]);
});

it('a share that hangs holds up no other, in this turn and the next, and is not asked again meanwhile', async () => {
  const shares = sharesOf();
  const asked: string[] = [];
  let release = (): void => {};
  const hung = new Promise<void>((resolve) => (release = resolve));
  const work = async (item: string): Promise<void> => {
    asked.push(item);
    if (first(item) === 'a') await hung;
  };
  await shares.each(['a1', 'b1', 'c1'], first, work);
  await shares.each(['a2', 'b2', 'c2'], first, work);
  expect(asked).toEqual(['a1', 'b1', 'c1', 'b2', 'c2']);
  release();
  await until(async () => {
    await shares.each(['a3'], first, work);
    return asked.includes('a3');
  });
});

it('shares that hang, however many, leave the next turn its hands', async () => {
  const shares = sharesOf();
  const asked: string[] = [];
  const work = async (item: string): Promise<void> => {
    asked.push(item);
    if (item !== 'z') await new Promise(() => {});
  };
  for (let turn = 0; turn < 3; turn++) await shares.each(['a', 'b', 'c', 'd', 'z'], first, work);
  expect(asked).toContain('z');
});
