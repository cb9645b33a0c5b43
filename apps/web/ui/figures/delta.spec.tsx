import { renderToStaticMarkup } from 'react-dom/server';
import { DeltaFigure, Deltas, deltaText } from './delta.js';

it.each<[number, [number, number] | null, string]>([
  [0.051, [0.012, 0.09], '+5.1 points (+1.2 to +9.0)'],
  [-0.051, [-0.2, 0.01], '-5.1 points (-20.0 to +1.0)'],
  [0, null, '0.0 points'],
])('a difference of %d is shown in points', (difference, interval, words) => {
  expect(deltaText({ difference, interval })).toBe(words);
});

it.each<[string, [number, number] | null, boolean]>([
  ['that contains zero', [-0.01, 0.1], true],
  ['that ends at zero', [0, 0.1], true],
  ['above zero', [0.01, 0.1], false],
  ['below zero', [-0.2, -0.1], false],
  ['that is unknown', null, true],
])('the dot of an interval %s is hollow or not', (_what, interval, isHollow) => {
  const html = renderToStaticMarkup(<DeltaFigure label="x" difference={0.05} interval={interval} />);
  expect(html.includes('dot hollow')).toBe(isHollow);
});

it('differences share one scale around zero, and an unknown one is stated in words, not drawn', () => {
  const html = renderToStaticMarkup(
    <Deltas
      label="x"
      rows={[
        { key: 'a', label: 'narrow', difference: 0.03, interval: [0.01, 0.05] },
        { key: 'b', label: 'wide', difference: -0.1, interval: [-0.3, 0.1] },
        { key: 'c', label: 'none', difference: null, interval: null },
      ]}
    />,
  );
  expect(html.match(/class="dot"/g)).toHaveLength(1);
  expect(html.match(/class="dot hollow"/g)).toHaveLength(1);
  expect(html).toContain('-10.0 points (-30.0 to +10.0)');
  expect(html).toContain('nothing to compare');
  expect([...html.matchAll(/<text[^>]*>([^<]*)/g)].map(([, tick]) => tick)).toEqual(['-50', '0', '+50']);
});
