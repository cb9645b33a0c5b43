import { renderToStaticMarkup } from 'react-dom/server';
import { DeltaStrips, type DeltaMark } from './delta-strips.js';

const mark = (letter: string, difference: number | null, ...interval: number[]): DeltaMark => ({
  letter,
  difference,
  interval: interval.length > 0 ? (interval as [number, number]) : null,
});

it('several runs stand on one scale around zero, each with its letter, and only those that differ are filled', () => {
  const html = renderToStaticMarkup(
    <DeltaStrips
      label="x"
      rows={[
        { key: 'all', label: 'all', marks: [mark('B', 0.1, 0.05, 0.15), mark('C', -0.02, -0.1, 0.06)] },
        { key: 'm', label: 'm', marks: [mark('B', null), mark('C', 0)] },
      ]}
    />,
  );
  expect(html.match(/class="clear"/g)).toHaveLength(1);
  expect(html).toContain('B: +10.0 points (+5.0 to +15.0); C: -2.0 points (-10.0 to +6.0)');
  expect(html).toContain('B: nothing to compare; C: 0.0 points');
  expect([...html.matchAll(/<text[^>]*>([^<]*)/g)].map(([, words]) => words)).toEqual(
    expect.arrayContaining(['B', 'C']),
  );
  expect(html).not.toMatch(/NaN|Infinity/);
});
