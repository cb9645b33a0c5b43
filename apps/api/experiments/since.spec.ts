import type { ComparisonVerdict } from '#lib/contracts/comparison';
import type { ComparedRun } from '#lib/db/read/experiment-runs';
import { describeSince, stretchOf } from './since.js';

const worst = { target: 'acme::b', verdict: 'regressed', difference: -0.24, ci: [-0.3, -0.1], from: 0.77, to: 0.53 };
const VERDICTS: Record<string, [ComparisonVerdict, regressed: number]> = {
  w: ['regressed', 1],
  m: ['inconclusive', 1], // A model got worse, though the mean does not show it.
  b: ['improved', 0],
  s: ['same', 0],
  u: ['inconclusive', 0],
  n: ['not_comparable', 0],
};
/** The runs of an experiment, oldest first, a letter each; the newest first. */
const runs = (letters: string): ComparedRun[] =>
  [...letters]
    .map((letter, n) => {
      const [verdict, regressed] = VERDICTS[letter]!;
      const comparison = { verdict, difference: -0.09, models: { worst, regressed, improved: 0 } };
      return { id: `id ${n}`, name: `Nightly ${n + 2}`, finishedAt: new Date(0), models: 3, comparison } as ComparedRun;
    })
    .reverse();
const said = (letters: string): string | undefined => {
  const stretch = stretchOf(runs(letters));
  return stretch && describeSince(stretch, 'before', []).text;
};

it.each([
  ['', undefined],
  ['nn', undefined],
  ['uuu', 'Too close to call against the baseline.'],
  ['uss', 'As good as the baseline for 2 runs.'],
  ['ubsn', 'As good as the baseline for 2 runs.'],
  ['ubb', 'Better since Nightly 3, 2 of the last 2. Nothing in the settings changed.'],
  ['uuw', 'Worse since Nightly 4: only b, 77 % to 53 %. Nothing in the settings changed.'],
  ['uuwumu', 'Worse since Nightly 4, 2 of the last 4: only b, 77 % to 53 %. Nothing in the settings changed.'],
  ['wuumw', 'Worse since Nightly 5, 2 of the last 2: only b, 77 % to 53 %. Nothing in the settings changed.'],
  ['wwuu', 'Too close to call against the baseline.'],
])('the runs "%s" are summed up as: %s', (letters, text) => {
  expect(said(letters)).toBe(text);
});

it('what changed in the settings is named, and the run before', () => {
  const stretch = stretchOf(runs('suw'))!;
  expect(stretch.before?.name).toBe('Nightly 3');
  expect(describeSince(stretch, 'id 1', ['temperature 0.7'])).toMatchObject({
    state: 'worse',
    run: { id: 'id 2', name: 'Nightly 4' },
    worst: { target: 'acme::b' },
    before: 'id 1',
    text: 'Worse since Nightly 4: only b, 77 % to 53 %. Changed: temperature 0.7.',
  });
});
