import { refusalOfCalled, withAlternative, withCalled } from './called-expectation.js';

const called = (name: string, args: object | null) => ({ name, arguments: args as never });
const check = (path: string, verdict: 'match' | 'mismatch' | 'missing') => ({ path, rule: 'exact' as const, verdict });
const judged = (calls: ReturnType<typeof called>[], ...checks: ReturnType<typeof check>[]) => ({
  called: calls,
  evidence: { pairs: [{ expected: 0, called: 0, arguments: checks }], missing: [], unexpected: [] } as never,
});

describe('a case that takes what was called', () => {
  const base = { prompt: 'p', expected_tool: 'old', expected_params: { a: 1 }, call_order: 'strict' as const };

  it.each([
    ['no call', [], { prompt: 'p', expected_tool: null }],
    [
      'one call, with the name as the suite has it',
      [called('GET_weather', { city: 'Paris' })],
      { prompt: 'p', expected_tool: 'get_weather', expected_params: { city: 'Paris' } },
    ],
    [
      'several calls',
      [called('a', {}), called('b', { n: 2 })],
      {
        prompt: 'p',
        expected_calls: [
          { tool: 'a', params: {} },
          { tool: 'b', params: { n: 2 } },
        ],
      },
    ],
    [
      'a value that looks like a matcher, as it is',
      [called('a', { q: { $any: true }, list: [{ $regex: '.' }] })],
      {
        prompt: 'p',
        expected_tool: 'a',
        expected_params: { q: { $literal: { $any: true } }, list: { $literal: [{ $regex: '.' }] } },
      },
    ],
  ])('expects %s', (_what, calls, expected) => {
    expect(withCalled(base, judged(calls), ['get_weather'])).toEqual(expected);
  });

  it('expects the last call of a chain', () => {
    const chain = { prompt: 'p', multi_turn: true };
    expect(withCalled(chain, judged([called('a', {}), called('b', {})]), [])).toMatchObject({ expected_tool: 'b' });
  });

  it('cannot take arguments that were not readable', () => {
    expect(refusalOfCalled(base, judged([called('a', null)]))).toMatch(/could not be read/);
    expect(refusalOfCalled(base, judged([called('a', {})]))).toBeUndefined();
  });
});

describe('a case that accepts what was called, too', () => {
  const expecting = (expected_params: object) => ({ prompt: 'p', expected_tool: 'a', expected_params }) as never;

  it('has either value, and may lack what was left out', () => {
    const result = judged([called('a', { x: 2, z: 1 })], check('/x', 'mismatch'), check('/y', 'missing'));
    expect(withAlternative(expecting({ x: 1, y: 1, z: 1 }), result)).toMatchObject({
      expected_params: { x: { $one_of: [1, 2] }, y: { $optional: 1 }, z: 1 },
    });
  });

  it('adds to the values that it has', () => {
    const result = judged([called('a', { x: 3, y: 3 })], check('/x', 'mismatch'), check('/y', 'mismatch'));
    expect(withAlternative(expecting({ x: { $one_of: [1, 2] }, y: { $optional: 1 } }), result)).toMatchObject({
      expected_params: { x: { $one_of: [1, 2, 3] }, y: { $optional: { $one_of: [1, 3] } } },
    });
  });

  it('is not offered where nothing would change, or another tool was called', () => {
    const right = judged([called('a', { x: 1 })], check('/x', 'match'));
    expect(withAlternative(expecting({ x: 1 }), right)).toBeUndefined();
    const since = judged([called('a', { x: 1 })], check('/x', 'mismatch'));
    expect(withAlternative(expecting({ x: 1 }), since)).toBeUndefined();
    const other = { called: [called('b', {})], evidence: { pairs: [], missing: [0], unexpected: [0] } as never };
    expect(withAlternative(expecting({ x: 1 }), other)).toBeUndefined();
  });
});
