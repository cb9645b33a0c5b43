import { sortedBy } from './sorted-by';

it('a column says how it sorts the list, and the other columns say nothing', () => {
  expect(sortedBy('Age', {})).toBe('ascending');
  expect(sortedBy('Age', { reverse: true })).toBe('descending');
  expect(sortedBy('Cost', { order: 'cost' })).toBe('descending');
  expect(sortedBy('Run', { order: 'name', reverse: true })).toBe('descending');
  expect([sortedBy('Run', {}), sortedBy('Change', {}), sortedBy('Age', { order: 'cost' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
