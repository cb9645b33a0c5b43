import { parseJson } from '#lib/contracts/json/json';
import { calledText, expectedText } from './call-texts.js';

it('expected calls are shown on one line, with numbers as written', () => {
  const params = parseJson('{"n":5.0,"city":"Paris"}');
  expect(expectedText({ expected: { tool: 'f', params } })).toBe('f("n":5.0,"city":"Paris")');
  expect(expectedText({ expected: { tool: ['f', 'g'], params: null } })).toBe('f or g with any arguments');
  expect(expectedText({ expected: { tool: null, params: null } })).toBe('no call');
  const calls = [{ tool: 'f', params: {} }, { tool: 'g' }];
  expect(expectedText({ expected: { tool: null, params: null, calls } })).toBe('f(), g with any arguments');
});

it('calls are shown on one line, including malformed ones', () => {
  expect(calledText([{ name: 'f', arguments: { a: 1 } }])).toBe('f("a":1)');
  expect(calledText([{ name: 'f', arguments: null, raw: '{"a' }])).toBe('f({"a)');
  expect(calledText([])).toBe('no call');
});
