import type { ComparedTarget, ComparisonVerdict } from '#lib/contracts/comparison';
import { comparedModels } from './compared-models.js';

const target = (b: string, verdict: ComparisonVerdict, difference: number | null): ComparedTarget =>
  ({ a: b, b, estimate: { verdict, difference, ci: [-1, 1], mean_a: 0.8, mean_b: 0.5 } }) as ComparedTarget;

it('the worst model is one that is shown to be worse, even if another lost more by chance', () => {
  const targets = [target('a', 'inconclusive', -0.3), target('b', 'regressed', -0.1), target('c', 'improved', 0.2)];
  expect(comparedModels(targets)).toEqual({
    worst: { target: 'b', verdict: 'regressed', difference: -0.1, ci: [-1, 1], from: 0.8, to: 0.5 },
    regressed: 1,
    improved: 1,
  });
});

it('without one that is shown to be worse, it is the model with the lowest difference', () => {
  const targets = [target('a', 'same', 0), target('b', 'inconclusive', -0.02), target('c', 'not_comparable', -0.9)];
  expect(comparedModels(targets)).toMatchObject({ worst: { target: 'b' }, regressed: 0, improved: 0 });
  expect(comparedModels([target('a', 'not_comparable', null)])).toEqual({ worst: null, regressed: 0, improved: 0 });
});
