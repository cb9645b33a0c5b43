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
    '4 of 4 (100.0 %): expected a or b, called b',
    '5 of 6 (83.3 %): expected no call, called no call',
  ]);
});

it('a tint says how large a share of its row a cell is, and no error of one is stronger than a right call', () => {
  const strengthsOf = (cells: number[][]): Record<string, string> => {
    const drawn = renderToStaticMarkup(
      <ConfusionTable
        confusion={{ expected: ['a', 'b'], called: ['a', 'b'], cells, other_expected: 0, other_called: 0 }}
        link={(_cell, _label, n) => n}
      />,
    );
    const tints = drawn.matchAll(/title="([^"]+) \([^"]*: expected (\w), called (\w)"[^>]*--(\w+)\) (\d+)%/g);
    return Object.fromEntries(
      [...tints].map(([, n, row, column, colour, tint]) => [`${n} ${row}${column}`, `${colour} ${tint}`]),
    );
  };
  expect(
    strengthsOf([
      [5, 20, 0],
      [20, 5, 0],
      [0, 0, 0],
    ]),
  ).toEqual({
    '5 of 25 aa': 'passed 34',
    '20 of 25 ab': 'failed 100',
    '20 of 25 ba': 'failed 100',
    '5 of 25 bb': 'passed 34',
  });
  expect(
    strengthsOf([
      [20, 5, 0],
      [1, 0, 0],
      [0, 0, 0],
    ]),
  ).toEqual({
    '20 of 25 aa': 'passed 100',
    '5 of 25 ab': 'failed 22',
    '1 of 1 ba': 'failed 22',
  });
});

it('the last row and column group all other tools and have no links', () => {
  expect(html).toContain('7 others');
  expect(html).toContain('1 other');
  expect(html).toContain('title="3 of 4 (75.0 %): expected 7 others, called 1 other"');
});
