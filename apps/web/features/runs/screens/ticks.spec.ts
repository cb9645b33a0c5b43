import { afterTick } from './ticks.js';

const ids = ['a', 'b', undefined, 'd', 'e', 'f', 'g', 'h'];

it('a click ticks a run and unticks it', () => {
  expect(afterTick(['x'], ids, { at: 1 })).toEqual(['x', 'b']);
  expect(afterTick(['x', 'b'], ids, { at: 1 })).toEqual(['x']);
  expect(afterTick(['x'], ids, { at: 2 })).toEqual(['x']);
});

it('a click with shift ticks the runs between, those that can be compared, and at most six', () => {
  expect(afterTick(['b'], ids, { at: 4, from: 1 })).toEqual(['b', 'd', 'e']);
  expect(afterTick(['e'], ids, { at: 0, from: 4 })).toEqual(['e', 'd', 'b', 'a']);
  expect(afterTick(['a'], ids, { at: 7, from: 0 })).toEqual(['a', 'b', 'd', 'e', 'f', 'g']);
});
