import { renderToStaticMarkup } from 'react-dom/server';
import { joinedPairs, ticksFor, Timeline, timelineText, type DrawnEntry } from './timeline.js';

const entry = (change: Partial<DrawnEntry> = {}): DrawnEntry => ({
  type: 'eval',
  id: 'an id',
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

it('the caption describes the timeline', () => {
  const entries = [entry({ is_baseline: true }), entry({ score: 0.75, suite_version: 2 })];
  const text = timelineText(entries, baseline);
  expect(text).toContain('2 scores, oldest first, from 50.0 % to 75.0 %');
  expect(text).toContain('the interval of the baseline, 50.0 % (40.0-60.0, n 20).');
  expect(text).toContain('The suite had 2 versions; lines join only scores of the same version.');
  expect(timelineText([entry()], undefined)).not.toContain('band');
});

it('dots are filled where a difference is shown, and a point without a score has only its number', () => {
  const entries = [entry({ is_baseline: true }), entry({ ...shown, is_best: true }), entry(), entry(none)];
  const html = renderToStaticMarkup(<Timeline label="x" entries={entries} baseline={baseline} />);
  const dots = [...html.matchAll(/class="(dot[ \w]*)"/g)].map(([, name]) => name);
  expect(dots).toEqual(['dot ofBaseline', 'dot', 'dot hollow']);
  expect(html.match(/class="bar"/g)).toHaveLength(3);
  expect(html.match(/class="band"/g)).toHaveLength(1);
  expect(html.match(/class="best"/g)).toHaveLength(1);
  expect(html).toContain('1, the baseline');
  expect(html).toContain('50.0 % (40.0-60.0, n 20)');
});

it('nothing is drawn without a score', () => {
  expect(renderToStaticMarkup(<Timeline label="x" entries={[entry(none)]} baseline={undefined} />)).toBe('');
});
