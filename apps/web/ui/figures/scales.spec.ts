import { linearScale, logScale, timeScale } from './scales';

describe('A linear scale', () => {
  it('begins and ends at round ticks around its values', () => {
    expect(linearScale([0.52, 0.91]).ticks).toEqual([0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    expect(linearScale([-7, 12]).ticks).toEqual([-10, -5, 0, 5, 10, 15]);
  });

  it('gives equal values and none a span', () => {
    const { at, ticks } = linearScale([0.5]);
    expect(ticks.length).toBeGreaterThan(1);
    expect(at(0.5)).toBeGreaterThanOrEqual(0);
    expect(at(0.5)).toBeLessThanOrEqual(1);
    expect(linearScale([]).ticks.length).toBeGreaterThan(1);
  });

  it('has round ticks where its ends lie between two of them', () => {
    expect(linearScale([0.529, 0.983], 5).ticks).toEqual([0.4, 0.6, 0.8, 1]);
  });

  it('takes more values than a call has room for', () => {
    expect(linearScale(Array.from({ length: 500_000 }, (_, n) => n)).ticks.at(-1)).toBe(500_000);
  });
});

describe('A logarithmic scale', () => {
  it('places equal ratios at equal distances', () => {
    const { at } = logScale([0.1, 10]);
    expect(at(1) - at(0.1)).toBeCloseTo(at(10) - at(1));
  });

  it('has fine ticks in a short span and powers of ten in a long one', () => {
    expect(logScale([1.2, 9]).ticks).toEqual([1, 2, 5, 10]);
    expect(logScale([0.001, 900]).ticks).toEqual([0.001, 0.01, 0.1, 1, 10, 100, 1000].filter((_, n) => n % 2 === 0));
  });

  it('leaves room for one value, and for none', () => {
    expect(logScale([3]).ticks.length).toBeGreaterThan(1);
    expect(logScale([]).ticks.length).toBeGreaterThan(1);
  });
});

describe('A scale of times', () => {
  const at = (text: string): number => new Date(text).getTime();

  it('has ticks at whole hours of a day', () => {
    const { ticks, words } = timeScale([at('2026-11-25T08:10'), at('2026-11-25T13:40')]);
    expect(ticks.map(words)).toEqual(['09:00', '10:00', '11:00', '12:00', '13:00']);
  });

  it('has ticks at months of a year', () => {
    const { ticks, words } = timeScale([at('2025-11-05T08:10'), at('2026-11-25T13:40')]);
    expect(ticks.map(words)).toEqual(['Jan 2026', 'Apr 2026', 'Jul 2026', 'Oct 2026']);
  });

  it('puts one moment in the middle', () => {
    expect(timeScale([at('2026-11-25T08:10')]).at(at('2026-11-25T08:10'))).toBe(0.5);
  });
});
