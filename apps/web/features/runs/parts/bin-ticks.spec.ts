import { latencyTicks, quantileOf } from './bin-ticks.js';

const bins = (...starts: number[]) => starts.map((from, n) => ({ from, to: (starts[n + 1] ?? from * 2) - 1 }));

describe('The ticks of latencies', () => {
  it('are whole powers of ten where there are several', () => {
    expect(latencyTicks(bins(8, 10, 14, 100, 134, 1000), 6)).toEqual([
      { at: 1, words: '10 ms' },
      { at: 3, words: '100 ms' },
      { at: 5, words: '1.0 s' },
    ]);
  });

  it('are as few as there is room for', () => {
    expect(latencyTicks(bins(134, 178, 238, 317, 422), 3).map(({ words }) => words)).toEqual([
      '134 ms',
      '238 ms',
      '422 ms',
    ]);
    expect(latencyTicks([], 3)).toEqual([]);
  });
});

it.each<[number | undefined, number[], number]>([
  [undefined, [], 0.5],
  [undefined, [0, 0], 0.5],
  [1.5, [0, 4, 0], 0.5],
  [1, [2, 2], 0.5],
  [2, [0, 4, 0], 1],
  [0, [4], 0],
])('%d bins from the left lies a share of %j: %d', (at, counts, share) => {
  expect(quantileOf(counts, share)).toBe(at);
});
