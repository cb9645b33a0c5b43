import { renderToStaticMarkup } from 'react-dom/server';
import { Sparkline, type SparkLine } from './sparkline.js';

const at = (mean: number): SparkLine['values'][number] => ({ mean, ci: [mean - 0.1, mean + 0.1] });
const drawn = (...lines: SparkLine[]): string => renderToStaticMarkup(<Sparkline lines={lines} />);

it('a line says in words where it began and where it is, and leaves out runs without a score', () => {
  const picture = drawn({ name: 'b', isMain: true, values: [at(0.77), null, at(0.53)] });
  expect(picture).toContain('aria-label="b: 77.0 % to 53.0 % in 2 runs"');
  expect(picture.match(/points="([^"]*)"/)![1]!.split(' ')).toHaveLength(2);
  expect(picture).not.toMatch(/NaN|Infinity/);
});

it('one run is a dot, and none an empty frame', () => {
  expect(drawn({ name: 'b', isMain: false, values: [at(0.5)] })).toContain('aria-label="b: 50.0 %"');
  expect(drawn()).toContain('No completed run yet');
  expect(drawn({ name: 'b', isMain: true, values: [null] })).not.toMatch(/NaN|Infinity/);
});
