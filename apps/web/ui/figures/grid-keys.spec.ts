import { movedBy } from './grid-keys.js';

const SIZE = { rows: 100, columns: 4, page: 10 };

it.each([
  ['ArrowDown', false, { row: 1, column: 0 }],
  ['ArrowUp', false, { row: 0, column: 0 }],
  ['ArrowLeft', false, { row: 0, column: -1 }],
  ['PageDown', false, { row: 10, column: 0 }],
  ['End', false, { row: 0, column: 3 }],
  ['End', true, { row: 99, column: 3 }],
  ['Home', false, { row: 0, column: -1 }],
  ['ArrowDown', true, undefined],
  ['a', false, undefined],
])('%s (with Ctrl: %s) leads from the first cell to %j', (key, isWithCtrl, place) => {
  expect(movedBy(key, isWithCtrl, { row: 0, column: 0 }, SIZE)).toEqual(place);
});

it('no key leads out of the grid', () => {
  const last = { row: 99, column: 3 };
  for (const key of ['ArrowDown', 'ArrowRight', 'PageDown', 'End'])
    expect(movedBy(key, false, last, SIZE)).toEqual(last);
});
