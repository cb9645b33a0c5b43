import { formatOf, refusalOfFile, sizeOf } from './read-file.js';

it('tells the format of a file by its name, where that tells it', () => {
  expect(['a.json', 'B.JSONL', 'x.y.csv', 'suite.yml', 'suite', 'a.toString'].map(formatOf)).toEqual([
    'native',
    'jsonl',
    'csv',
    'yaml',
    undefined,
    undefined,
  ]);
});

it('refuses a file that no import takes, and says how to go on', () => {
  expect(refusalOfFile({ name: 'a.json', size: 10 * 2 ** 20 })).toBeUndefined();
  expect(refusalOfFile({ name: 'a.json', size: 12 * 2 ** 20 })).toMatch(/has 12\.0 MiB, .* up to 10\.0 MiB\. Split it/);
  expect(sizeOf(10)).toBe('1 KiB');
});
