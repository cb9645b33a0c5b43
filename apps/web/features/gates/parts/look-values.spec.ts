import type { GateRun } from '#lib/gate/contract';
import { byGravity, looksAt } from './look-values.js';

const figures = { target: 'p::a', result: 'inconclusive', difference: -0.01, ci: [-0.05, 0.03] } as const;
const look = (n: number, targets?: (typeof figures)[]): GateRun['looks'][number] =>
  ({ look: n, samples: [1, n], result: 'inconclusive', text: '', targets }) as GateRun['looks'][number];

it('looks have the figures of a model, unless an earlier release took one', () => {
  expect(looksAt('p::a', [look(1, [figures]), look(2, [figures])])).toEqual([
    { ...figures, look: 1, samples: 1 },
    { ...figures, look: 2, samples: 2 },
  ]);
  expect(looksAt('p::a', [look(1), look(2, [figures])])).toBeUndefined();
  expect(looksAt('p::b', [look(1, [figures])])).toBeUndefined();
});

it('the model that decides comes first, and of several the one that lost most', () => {
  const models = [
    { name: 'a', result: 'pass', difference: -0.1 },
    { name: 'b', result: 'fail', difference: -0.1 },
    { name: 'c', result: 'inconclusive', difference: null },
    { name: 'd', result: 'fail', difference: -0.2 },
  ] as const;
  expect(models.toSorted(byGravity).map(({ name }) => name)).toEqual(['d', 'b', 'c', 'a']);
});
