import { until } from '../../../test/until.js';
import { Bulkhead } from './bulkhead.js';

const failures: [string, unknown][] = [];
const aBulkhead = (turnMs = 20): Bulkhead =>
  new Bulkhead({ concurrency: 2, turnMs, onFailure: (error, item) => failures.push([error.message, item]) });
const first = (item: string): string => item[0]!;

it('an error of one item is reported and stops neither its own key nor another', async () => {
  const done: string[] = [];
  await aBulkhead(10_000).each(['a1', 'a2', 'b1'], first, async (item) => {
    if (item === 'a1') throw new Error('no');
    done.push(item);
  });
  expect([done.sort(), failures]).toEqual([['a2', 'b1'], [['no', 'a1']]]);
});

it('a key that hangs delays no other key, in this turn or the next, and is skipped until it is done', async () => {
  const bulkhead = aBulkhead();
  const started: string[] = [];
  let release = (): void => {};
  const hung = new Promise<void>((resolve) => (release = resolve));
  const work = async (item: string): Promise<void> => {
    started.push(item);
    if (first(item) === 'a') await hung;
  };
  await bulkhead.each(['a1', 'b1', 'c1'], first, work);
  await bulkhead.each(['a2', 'b2', 'c2'], first, work);
  expect(started).toEqual(['a1', 'b1', 'c1', 'b2', 'c2']);
  release();
  await until(async () => {
    await bulkhead.each(['a3'], first, work);
    return started.includes('a3');
  });
});

it('hanging keys, however many, leave room in the next turn', async () => {
  const bulkhead = aBulkhead();
  const started: string[] = [];
  const work = async (item: string): Promise<void> => {
    started.push(item);
    if (item !== 'z') await new Promise(() => {});
  };
  for (let turn = 0; turn < 3; turn++) await bulkhead.each(['a', 'b', 'c', 'd', 'z'], first, work);
  expect(started).toContain('z');
});
