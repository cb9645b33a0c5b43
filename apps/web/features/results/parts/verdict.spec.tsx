import { renderToStaticMarkup } from 'react-dom/server';
import { samplesText, Samples } from './verdict.js';

const passed = { outcome: 'scored', passed: true, overall: 1 } as const;
const partial = { outcome: 'scored', passed: false, overall: 0.6 } as const;
const failed = { outcome: 'scored', passed: false, overall: 0 } as const;
const errored = { outcome: 'errored', passed: false, overall: null } as const;

it.each([
  [[passed], '1 of 1 passed'],
  [[passed, failed, partial], '1 of 3 passed'],
  [[passed, failed, errored], '1 of 2 passed, 1 errored'],
  [[errored, errored], '2 errored'],
])('samples are described in words: %#', (samples, words) => {
  expect(samplesText(samples)).toBe(words);
});

it('a row of samples has a mark for each sample, and a description', () => {
  const html = renderToStaticMarkup(<Samples samples={[passed, partial, failed, errored]} />);
  expect([...html.matchAll(/class="mark (\w+)"/g)].map(([, word]) => word)).toEqual([
    'passed',
    'partial',
    'failed',
    'errored',
  ]);
  expect(html).toContain('1 of 3 passed, 1 errored');
});
