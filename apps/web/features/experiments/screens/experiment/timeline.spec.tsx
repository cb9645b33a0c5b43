import { renderToStaticMarkup } from 'react-dom/server';
import { joinedPairs, ticksFor, timeLabels, timePlaces, Timeline, timelineText, type DrawnEntry } from './timeline.js';

const entry = (change: Partial<DrawnEntry> = {}): DrawnEntry => ({
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
const none = { score: null, score_ci: null, suite_version: null };
const shown = { comparison: { verdict: 'improved' } } as Partial<DrawnEntry>;
const baseline = { mean: 0.5, ci: [0.4, 0.6], scored: 20 } as const;

it.each([
  [
    [0.72, 0.9],
    [0.7, 0.75, 0.8, 0.85, 0.9],
  ],
  [
    [0, 1],
    [0, 0.2, 0.4, 0.6, 0.8, 1],
  ],
  [[1], [0.99, 1]],
  [[0], [0, 0.01]],
  [
    [0.801, 0.812],
    [0.8, 0.81, 0.82],
  ],
])('a scale of %j has whole steps and includes both ends', (shares, ticks) => {
  expect(ticksFor(shares)).toEqual(ticks);
});

it('a line joins neighbouring scores, but not scores of different suite versions', () => {
  const entries = [entry(), entry(none), entry(), entry({ suite_version: 2 }), entry({ suite_version: 2 })];
  expect(joinedPairs(entries)).toEqual([
    [0, 2],
    [3, 4],
  ]);
});

it('the caption says how many scores there are, from which to which, and of how many versions', () => {
  const entries = [entry({ is_baseline: true }), entry({ score: 0.75, suite_version: 2 })];
  expect(timelineText(entries)).toBe('2 scores, 50.0 % to 75.0 %. 2 versions of the suite.');
  expect(timelineText([entry()])).toBe('1 score, 50.0 % to 50.0 %.');
});

it('entries lie on the axis by their times, and leave room for one another', () => {
  expect(timePlaces([0, 10, 100])).toEqual([0, 0.25, 1]);
  expect(timePlaces([0, 40, 100])).toEqual([0, 0.4, 1]);
  expect(timePlaces([7])).toEqual([0.5]);
  expect(timePlaces([5, 5, 5])).toEqual([0, 0.5, 1]);
});

it('days are written below the axis, each once and where there is room', () => {
  const at = ['2026-11-20T12:00:00Z', '2026-11-20T12:30:00Z', '2026-11-23T12:00:00Z', '2026-11-23T13:00:00Z'];
  const labels = timeLabels(at, [0, 0.3, 0.9, 1]);
  expect(labels).toEqual(['20 Nov', undefined, '23 Nov', undefined]);
  const minutes = timeLabels(['2026-11-20T12:00:00Z', '2026-11-20T12:30:00Z'], [0, 1]);
  expect(minutes).toEqual([expect.stringMatching(/:00$/), expect.stringMatching(/:30$/)]);
});

it('dots are filled where a difference is shown, and name their runs', () => {
  const entries = [
    entry({ is_baseline: true, name: 'Nightly 1' }),
    entry({ ...shown, is_best: true }),
    entry(),
    entry(none),
  ];
  const html = renderToStaticMarkup(<Timeline label="x" entries={entries} baseline={baseline} />);
  const dots = [...html.matchAll(/class="(dot[ \w]*)"/g)].map(([, name]) => name);
  expect(dots).toEqual(['dot ofBaseline', 'dot', 'dot hollow']);
  expect(html.match(/class="bar"/g)).toHaveLength(3);
  expect(html.match(/class="band"/g)).toHaveLength(1);
  expect(html.match(/class="best"/g)).toHaveLength(1);
  expect(html).toContain('<title>Nightly 1, 50.0 % (40.0-60.0, n 20)</title>');
});

it('nothing is drawn without a score', () => {
  expect(renderToStaticMarkup(<Timeline label="x" entries={[entry(none)]} baseline={undefined} />)).toBe('');
});
