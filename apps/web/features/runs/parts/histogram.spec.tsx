import { renderToStaticMarkup } from 'react-dom/server';
import { Histogram, histogramText, type HistogramBin } from './histogram.js';

const bin = (words: string, passed: number, failed = 0, errored = 0): HistogramBin => ({
  key: words,
  words,
  passed,
  failed,
  errored,
});

it.each<[HistogramBin[], string]>([
  [[], 'No result has a value.'],
  [[bin('0 ms to 9 ms', 0)], 'No result has a value.'],
  [[bin('0 ms to 9 ms', 1)], '1 result: 0 ms to 9 ms.'],
  [[bin('short', 1, 1), bin('long', 1)], '3 results; most of them, 2: short.'],
  [[bin('short', 1, 1), bin('long', 1), bin('longer', 1)], '4 results; the largest group, 2: short.'],
])('the caption describes the histogram: %#', (bins, words) => {
  expect(histogramText(bins)).toBe(words);
});

it('each bar links to its results and counts them by verdict', () => {
  const html = renderToStaticMarkup(
    <Histogram
      label="Results by latency"
      bins={[bin('10 ms to 99 ms', 3, 2, 1), bin('100 ms to 999 ms', 0), bin('1.0 s to 2.0 s', 1)]}
      ticks={[
        { at: 0, words: '10 ms' },
        { at: 2, words: '1.0 s' },
      ]}
      link={({ key }, label, bar) => (
        <a href={`#${key}`} aria-label={label}>
          {bar}
        </a>
      )}
    />,
  );
  expect([...html.matchAll(/aria-label="(\d[^"]+)"/g)].map(([, label]) => label)).toEqual([
    '6 results, 10 ms to 99 ms: 3 passed, 2 did not, 1 errored',
    '1 result, 1.0 s to 2.0 s: 1 passed, 0 did not',
  ]);
  expect(html).toContain('height:40%');
  expect([...html.matchAll(/<text x="([\d.%]+)"[^>]*>([^<]*)/g)].map(([, ...tick]) => tick)).toEqual([
    ['0%', '10 ms'],
    [expect.stringMatching(/^66\.6/), '1.0 s'],
  ]);
  expect(html).toContain('<th scope="row">100 ms to 999 ms</th>');
});
