import { frontierOf } from './frontier';

const names = (...points: [name: string, x: number, y: number][]): string[] =>
  frontierOf(points.map(([name, x, y]) => ({ name, x, y }))).map(({ name }) => name);

describe('The frontier', () => {
  it('has the points that none further left reaches', () => {
    expect(names(['dear', 9, 0.9], ['poor', 5, 0.4], ['cheap', 1, 0.5], ['middle', 3, 0.8])).toEqual([
      'cheap',
      'middle',
      'dear',
    ]);
  });

  it('has the cheaper of two that are as good, and both where they are as cheap, too', () => {
    expect(names(['dear', 2, 0.5], ['cheap', 1, 0.5])).toEqual(['cheap']);
    expect(names(['one', 1, 0.5], ['other', 1, 0.5], ['worse', 1, 0.4])).toEqual(['one', 'other']);
    expect(names()).toEqual([]);
  });
});
