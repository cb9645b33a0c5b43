import { renderToStaticMarkup } from 'react-dom/server';
import { ConfusionTable } from './confusion.js';

const html = renderToStaticMarkup(
  <ConfusionTable
    confusion={{
      expected: ['get_time', '(none)', 'a or b'],
      called: ['get_time', '(none)', '(unknown)', 'b'],
      cells: [
        [30, 8, 2, 0, 0],
        [0, 5, 0, 0, 1],
        [0, 0, 0, 4, 0],
        [1, 0, 0, 0, 3],
      ],
      other_expected: 7,
      other_called: 1,
    }}
    link={({ expected, called }, label, n) => (
      <a href={`#${expected}>${called}`} aria-label={label}>
        {n}
      </a>
    )}
  />,
);
const linked = [...html.matchAll(/href="#([^"]+)" aria-label="([^"]+)"/g)].map(([, , label]) => label);

it('a number shows its share of the row and links to its results', () => {
  expect(linked).toEqual([
    '30 of 40 (75.0 %): expected get_time, called get_time',
    '8 of 40 (20.0 %): expected get_time, called no call',
    '2 of 40 (5.0 %): expected get_time, called unknown tool',
    '5 of 6 (83.3 %): expected no call, called no call',
    '4 of 4 (100.0 %): expected a or b, called b',
  ]);
});

it('cells are tinted by their share: expected calls, even with several accepted tools, unlike the others', () => {
  const tints = (colour: string): number[] =>
    [...html.matchAll(new RegExp(`var\\(--${colour}\\) ([\\d.]+)%`, 'g'))].map(([, tint]) => Number(tint));
  expect(tints('passed')).toEqual([32.5, 35, 40]);
  expect(tints('failed')).toEqual([17.6, 11.9, 16.3, 19.5, 38.5]);
});

it('the last row and column group all other tools and have no links', () => {
  expect(html).toContain('7 others');
  expect(html).toContain('1 other');
  expect(html).toContain('title="3 of 4 (75.0 %): expected 7 others, called 1 other"');
});
