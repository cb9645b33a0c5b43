import { parseJson } from '#lib/contracts/json/json';
import { argumentsApart, expectedText, pairedCalls } from './paired-calls.js';

const call = (name: string, given: object = {}) => ({ name, arguments: given as never });
const evidence = (more: object) => ({ pairs: [], missing: [], unexpected: [], ...more }) as never;

describe('expected and called calls', () => {
  it('are paired by the evidence, with missing and unexpected calls', () => {
    const lines = pairedCalls({
      expected: { tool: null, params: null, calls: [{ tool: 'a', params: { x: 1 } }, { tool: ['b', 'c'] }] },
      called: [call('z'), call('b')],
      evidence: evidence({ pairs: [{ expected: 1, called: 1, param_score: null, arguments: [] }] }),
    });
    expect(lines.map(({ expected, called }) => [expected?.tool, called?.name])).toEqual([
      ['a', 'z'],
      [['b', 'c'], 'b'],
    ]);
  });

  it('stand on one line where another tool was called in place of the expected one', () => {
    const lines = pairedCalls({
      expected: { tool: 'a', params: { x: 1, y: 2 } },
      called: [call('z', { y: 3, u: 4 })],
      evidence: evidence({}),
    });
    expect(lines).toMatchObject([{ expected: { tool: 'a' }, called: { name: 'z' }, isOther: true }]);
    expect(argumentsApart(lines[0]!)).toEqual([
      { name: 'x', expected: 1 },
      { name: 'y', expected: 2, called: 3 },
      { name: 'u', called: 4 },
    ]);
    const two = pairedCalls({ expected: { tool: 'a', params: null }, called: [call('y'), call('z')], evidence: null });
    expect(two.map(({ isOther }) => isOther)).toEqual([undefined, undefined, undefined]);
  });

  it('show the arguments that the case does not mention', () => {
    const [line] = pairedCalls({
      expected: { tool: 'a', params: { x: 1 } },
      called: [call('a', { x: 1, 'u/v': 2 })],
      evidence: evidence({
        pairs: [{ expected: 0, called: 0, param_score: 1, arguments: [] }],
        extra_arguments: ['/0/u~1v', '/1/other'],
      }),
    });
    expect(line?.extra).toEqual([{ name: 'u/v', value: 2 }]);
  });

  it('are all unexpected where no call is expected, and all missing where there is no reply', () => {
    expect(pairedCalls({ expected: { tool: null, params: null }, called: [call('a')], evidence: null })).toEqual([
      { called: call('a'), checks: [], extra: [] },
    ]);
    expect(pairedCalls({ expected: { tool: 'a', params: null }, called: [], evidence: null })).toEqual([
      { expected: { tool: 'a', params: null }, called: undefined, checks: [], extra: [] },
    ]);
  });
});

it('expected calls are shown on one line, with numbers as written', () => {
  const params = parseJson('{"n":5.0,"city":"Paris"}');
  expect(expectedText({ expected: { tool: 'f', params } })).toBe('f(n: 5.0, city: "Paris")');
  expect(expectedText({ expected: { tool: ['f', 'g'], params: null } })).toBe('f or g with any arguments');
  const goal = { state: { '/a': 1 } };
  expect(expectedText({ expected: { tool: null, params: null, goal } })).toBe('any calls');
  expect(expectedText({ expected: { tool: null, params: null, calls: [], goal } })).toBe('no call');
  expect(expectedText({ expected: { tool: null, params: null } })).toBe('no call');
  const calls = [{ tool: 'f', params: {} }, { tool: 'g' }];
  expect(expectedText({ expected: { tool: null, params: null, calls } })).toBe('f(), g with any arguments');
});
