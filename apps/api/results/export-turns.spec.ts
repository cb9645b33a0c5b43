import { ExportTurns } from './export-turns.js';

it('a team runs two exports at a time and all teams four; others wait, and a team is refused beyond ten', async () => {
  const turns = new ExportTurns();
  const [first] = [await turns.take('a'), await turns.take('a')];
  const order: string[] = [];
  const waiting = Array.from({ length: 10 }, (_, n) =>
    turns.take('a').then((giveBack) => (order.push(`a${n}`), giveBack)),
  );
  await expect(turns.take('a')).rejects.toMatchObject({ status: 429, message: expect.stringMatching(/^2 exports/) });
  const ofB = [await turns.take('b'), await turns.take('b')];
  const ofC = turns.take('c').then((giveBack) => (order.push('c'), giveBack));
  first!();
  const giveBackA0 = await Promise.race([waiting[0]!, ofC]);
  giveBackA0();
  for (const giveBack of ofB) giveBack();
  await Promise.all([ofC, waiting[0]]);
  expect(order.slice(0, 2).sort()).toEqual(['a0', 'c']);
});
