import { faultsOf } from './json-faults.js';

const text = '{\n  "a": {"city": "x", "a/b~": [1, 2]},\n  "long": {\n    "y": 5.0\n  }\n}';
const marked = (path: string): string => {
  const [fault] = faultsOf(text, [{ path, message: 'm' }], false);
  return text.slice(fault!.from, fault!.to);
};

it('an API error is marked at the name or item its pointer selects', () => {
  expect(marked('/a/city')).toBe('"city"');
  expect(marked('/a/a~1b~0/1')).toBe('2');
  expect(marked('/long/y/deeper')).toBe('"y"');
  expect(marked('/long/missing')).toBe('"long"');
});

it('an error of the whole value is marked at its start', () => {
  expect(marked('')).toBe('{');
});

it('invalid JSON is marked where parsing stops, before any other error', () => {
  expect(faultsOf('{\n  "a": tru\n}', [{ path: '/a', message: 'm' }], false)).toEqual([
    { from: 9, to: 10, message: 'Line 2, column 8: this is not JSON.' },
  ]);
  const open = '{"a": [1,';
  const [fault] = faultsOf(open, [], false);
  expect(fault!.to).toBeLessThanOrEqual(open.length);
});

it('an empty text is an error unless the value is optional', () => {
  expect(faultsOf(' ', [], true)).toEqual([]);
  expect(faultsOf(' ', [], false)).toMatchObject([{ message: 'A value is missing.' }]);
});
