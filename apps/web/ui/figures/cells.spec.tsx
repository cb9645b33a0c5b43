import { renderToStaticMarkup } from 'react-dom/server';
import { CellMark, cellLook, cellWords } from './cells.js';

it.each([
  [{ scored: 1, passed: 1, errored: 0 }, 'passed', 'passed'],
  [{ scored: 1, passed: 0, errored: 0 }, 'failed', 'failed'],
  [{ scored: 0, passed: 0, errored: 1 }, 'errored', 'errored'],
  [{ scored: 5, passed: 3, errored: 0 }, 'partly', '3 of 5 passed'],
  [{ scored: 4, passed: 0, errored: 1 }, 'failed', '0 of 4 passed, 1 errored'],
  [{ scored: 4, passed: 4, errored: 1 }, 'passed', '4 of 4 passed, 1 errored'],
  [{ scored: 0, passed: 0, errored: 2 }, 'errored', '2 errored'],
  [{ scored: 0, passed: 0, errored: 0 }, 'unknown', 'not run'],
])('a cell has a shape and words: %#', (cell, look, words) => {
  expect([cellLook(cell), cellWords(cell)]).toEqual([look, words]);
});

it('a cell that passed in part is filled by its share, and never looks like all or nothing', () => {
  const shareOf = (passed: number, scored: number) =>
    /--share:(\d+)%/.exec(renderToStaticMarkup(<CellMark {...{ passed, scored, errored: 0 }} />))?.[1];
  expect([shareOf(1, 2), shareOf(1, 1000), shareOf(999, 1000)]).toEqual(['50', '15', '85']);
  expect([shareOf(0, 2), shareOf(2, 2)]).toEqual([undefined, undefined]);
});
