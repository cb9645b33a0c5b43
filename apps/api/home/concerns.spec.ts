import type { RunAgainst } from '#lib/contracts/run';
import { concernOfRun, isWorse } from './concerns.js';

const against = (change: Partial<RunAgainst>): RunAgainst =>
  ({
    verdict: 'regressed',
    difference: -0.09,
    regressed: 1,
    worst: { target: 'acme::b', difference: -0.24 },
    ...change,
  }) as RunAgainst;
const run = (name: string | null, of: RunAgainst | null = against({})) => ({ id: name ?? 'r', name, against: of });

it('a run is worse when its mean is, or one of its models', () => {
  expect(isWorse(run('a'))).toBe(true);
  expect(isWorse(run('a', against({ verdict: 'inconclusive' })))).toBe(true);
  expect(isWorse(run('a', against({ verdict: 'improved', regressed: 0 })))).toBe(false);
  expect(isWorse(run('a', null))).toBe(false);
});

it('what is worse says since when, by how much and which model', () => {
  const office = { id: 's', name: 'Office' };
  expect(concernOfRun(office, run('Nightly 9'), run('Nightly 8')).text).toBe(
    'Office is worse since Nightly 8 (-9 points; acme::b -24 points).',
  );
  const model = run(null, against({ verdict: 'inconclusive', difference: -0.02 }));
  expect(concernOfRun(office, model, model).text).toBe('Office is worse since its last run (acme::b -24 points).');
});
