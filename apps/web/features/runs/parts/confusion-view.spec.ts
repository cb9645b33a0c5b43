import { confusionView } from './confusion-view.js';

const view = confusionView({
  expected: ['get_time', '(none)', 'search', 'a or b'],
  called: ['search', '(none)', 'get_time', '(unknown)', 'b', 'a'],
  cells: [
    [8, 2, 30, 0, 0, 0, 0],
    [0, 5, 0, 0, 0, 0, 1],
    [9, 0, 0, 1, 0, 0, 0],
    [0, 0, 0, 0, 4, 0, 0],
    [1, 0, 0, 0, 0, 0, 3],
  ],
  other_expected: 7,
  other_called: 1,
});
const wordsOf = (axes: readonly { words: string }[]): string[] => axes.map(({ words }) => words);

it('rows and columns are in the same order, with the others and replies without a tool set apart at the end', () => {
  expect(wordsOf(view.rows)).toEqual(['get_time', 'search', 'a or b', 'no call', '7 others']);
  expect(wordsOf(view.columns)).toEqual(['get_time', 'search', 'b', 'a', 'no call', 'unknown tool', '1 other']);
  expect(view.rows.findIndex(({ isApart }) => isApart)).toBe(3);
  expect(view.columns.findIndex(({ isApart }) => isApart)).toBe(4);
});

it('right calls are a diagonal, and either of two accepted tools is right', () => {
  expect(view.cells.map((line) => line.map(({ n }) => n))).toEqual([
    [30, 8, 0, 0, 2, 0, 0],
    [0, 9, 0, 0, 0, 1, 0],
    [0, 0, 4, 0, 0, 0, 0],
    [0, 0, 0, 0, 5, 0, 1],
    [0, 1, 0, 0, 0, 0, 3],
  ]);
  const right = view.cells.map((line) => line.flatMap(({ isRight }, column) => (isRight ? [column] : [])));
  expect(right).toEqual([[0], [1], [2, 3], [4], []]);
  expect(view.worst).toEqual({ expected: 'get_time', called: 'search', n: 8, all: 40 });
});

it('of many tools those with the most errors have rows and columns, and the others are counted together', () => {
  const tools = Array.from({ length: 40 }, (_, n) => `tool_${n}`);
  const { rows, columns, cells } = confusionView({
    expected: tools,
    called: tools,
    cells: [
      ...tools.map((_, row) => [
        ...tools.map((__, column) => (row === column ? 10 : column === (row + 1) % 40 ? row : 0)),
        0,
      ]),
      [...tools.map(() => 0), 5],
    ],
    other_expected: 88,
    other_called: 88,
  });
  expect(wordsOf(rows).slice(-2)).toEqual(['tool_39', '108 others']);
  expect([rows, columns, cells].map(({ length }) => length)).toEqual([21, 21, 21]);
  const total = cells.flat().reduce((sum, { n }) => sum + n, 0);
  expect(total).toBe(40 * 10 + (40 * 39) / 2 + 5);
});
