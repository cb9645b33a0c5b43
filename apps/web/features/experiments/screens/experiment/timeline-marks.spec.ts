import { thinned } from '../../../../ui/figures/thinned.js';
import { costsOf, marksOf, timelineText } from './timeline-marks.js';

type Entry = Parameters<typeof timelineText>[0][number];

const entry = (change: Partial<Entry> = {}): Entry => ({
  type: 'eval',
  id: 'an id',
  name: null,
  timestamp: '2026-11-20T09:00:00.000Z',
  score: 0.5,
  score_ci: [0.4, 0.6],
  scored: 20,
  suite_version: 1,
  is_baseline: false,
  is_best: false,
  comparison: null,
  ...change,
});
const compared = (verdict: string, regressed = 0) =>
  ({ comparison: { verdict, models: { worst: null, regressed, improved: 0 } } }) as Partial<Entry>;
const marks = (entries: readonly Entry[]) => marksOf(entries, () => null);

it('the words of a timeline say how many scores there are, from which to which, of how many versions', () => {
  const entries = [entry({ is_baseline: true }), entry({ score: 0.75, suite_version: 2 })];
  expect(timelineText(entries, 2)).toBe('2 scores, 50.0 % to 75.0 %. 2 versions of the suite.');
  expect(timelineText([entry()], 1)).toBe('1 score, 50.0 % to 50.0 %.');
  expect(timelineText([entry(), entry(), entry({ score: null })], 2)).toBe(
    '2 scores, 50.0 % to 50.0 %. 2 of 3 runs are drawn.',
  );
});

it('runs stand out where a difference from the baseline is shown, if only of one model', () => {
  const entries = [entry(), entry(compared('improved')), entry(compared('inconclusive', 1)), entry(compared('same'))];
  expect(marks(entries).map(({ stands }) => stands)).toEqual([undefined, 'better', 'worse', undefined]);
  expect(marks([entry({ name: 'Nightly 1', is_baseline: true }), entry(compared('regressed'))])).toMatchObject([
    { words: 'Nightly 1, 50.0 % (40.0-60.0, n 20), the baseline' },
    { words: 'run an id, 50.0 % (40.0-60.0, n 20), worse than the baseline' },
  ]);
});

it('no line joins versions of the suite, and tunes and judge reports are not drawn', () => {
  const tune = entry({ type: 'param_tune', score: null, suite_version: null });
  const drawn = marks([entry(), tune, entry(), entry({ suite_version: 2 }), entry({ suite_version: 2 })]);
  expect(drawn.map(({ isApart, note }) => [isApart, note])).toEqual([
    ...[
      [false, undefined],
      [false, undefined],
      [true, 'v2'],
      [false, undefined],
    ],
  ]);
});

it('of many runs the ends, the lowest, the highest and those that stand out are drawn', () => {
  const many = Array.from({ length: 1000 }, (_, n) =>
    entry({
      ...{ id: String(n), score: n === 123 ? 0.1 : n === 777 ? 0.9 : 0.5 },
      ...(n === 500 || n === 501 ? compared('regressed') : {}),
    }),
  );
  const drawn = thinned(marks(many), 100);
  expect(drawn.length).toBeLessThanOrEqual(104);
  const keys = drawn.map(({ key }) => Number(key));
  expect(keys).toEqual(expect.arrayContaining([0, 123, 500, 501, 777, 999]));
  expect(keys).toEqual(keys.toSorted((a, b) => a - b));
  expect(thinned(marks(many.slice(0, 100)), 100)).toHaveLength(100);
});

it('the cost of a run is known when that of each of its models is', () => {
  const model = (cost_usd: number | null) => ({ target: 'a', mean: 1, ci: null, cost_usd });
  const point = (id: string, models: ReturnType<typeof model>[], more_models = 0) => ({
    run: { id, name: null, suite_version: 1 },
    ...{ finished_at: '', score: 1, models, more_models },
  });
  const points = [point('1', [model(1), model(2)]), point('2', [model(1), model(null)]), point('3', [model(1)], 1)];
  const trend = { suite: { id: 's', name: 's', version: 1 }, points };
  expect([...costsOf(trend)]).toEqual([['1', 3]]);
  expect(costsOf(undefined).size).toBe(0);
});
