import { innerDifference } from './inner-difference.js';

const of = (path: string, expected: unknown, actual: unknown) => innerDifference({ path, expected, actual } as never);

describe('the values of a check', () => {
  it('are those at its place, inside objects and lists', () => {
    const [expected, actual] = [18.42, 18.24].map((lon) => ({ to: [{ 'a/b': { lon } }], boxes: lon }));
    expect(of('/order/to/0/a~1b/lon', expected, actual)).toEqual({ expected: 18.42, actual: 18.24 });
    expect(of('/order', expected, actual)).toEqual({ expected, actual });
  });

  it('are whole where one of them has no such place', () => {
    for (const actual of [{ to: {} }, { to: 'x' }, null, ['to']]) {
      const expected = { to: { lon: 1 } };
      expect(of('/order/to/lon', expected, actual)).toEqual({ expected, actual });
    }
    expect(of('/order/length', { length: 1 }, [1])).toEqual({ expected: { length: 1 }, actual: [1] });
  });
});
