import { renderToStaticMarkup } from 'react-dom/server';
import { joinedPairs, ticksFor, Timeline, timelineText, type TimelinePoint } from './timeline.js';

const point = (number: number, change: Partial<TimelinePoint> = {}): TimelinePoint => ({
  key: String(number),
  number,
  score: 0.5,
  interval: [0.4, 0.6],
  scored: 20,
  errored: 0,
  suiteVersion: 1,
  isBaseline: false,
  isBest: false,
  isShown: false,
  ...change,
});
const none = { score: null, interval: null, suiteVersion: null };

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
  const points = [point(1), point(2, none), point(3), point(4, { suiteVersion: 2 }), point(5, { suiteVersion: 2 })];
  expect(joinedPairs(points)).toEqual([
    [0, 2],
    [3, 4],
  ]);
});

it('the caption describes the timeline', () => {
  const points = [point(1, { isBaseline: true }), point(2, { score: 0.75, suiteVersion: 2 })];
  const text = timelineText(points, { score: 0.5, interval: [0.4, 0.6], scored: 20 });
  expect(text).toContain('2 scores, oldest first, from 50.0 % to 75.0 %');
  expect(text).toContain('the interval of the baseline, 50.0 % (40.0-60.0, n 20).');
  expect(text).toContain('The suite had 2 versions; lines join only scores of the same version.');
  expect(timelineText([point(1)], undefined)).not.toContain('band');
});

it('dots are filled where a difference is shown, and a point without a score has only its number', () => {
  const points = [point(1, { isBaseline: true }), point(2, { isShown: true, isBest: true }), point(3), point(4, none)];
  const html = renderToStaticMarkup(
    <Timeline label="x" points={points} band={{ score: 0.5, interval: [0.4, 0.6], scored: 20 }} />,
  );
  const dots = [...html.matchAll(/class="(dot[ \w]*)"/g)].map(([, name]) => name);
  expect(dots).toEqual(['dot ofBaseline', 'dot', 'dot hollow']);
  expect(html.match(/class="bar"/g)).toHaveLength(3);
  expect(html.match(/class="band"/g)).toHaveLength(1);
  expect(html.match(/class="best"/g)).toHaveLength(1);
  expect(html).toContain('1, the baseline');
  expect(html).toContain('50.0 % (40.0-60.0, n 20)');
});

it('nothing is drawn without a score', () => {
  expect(renderToStaticMarkup(<Timeline label="x" points={[point(1, none)]} band={undefined} />)).toBe('');
});
