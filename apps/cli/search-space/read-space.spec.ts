import { readSpace } from './read-space.js';
import { configText, spaceText } from './space-text.js';

const valuesOf = (text: string): string => JSON.stringify(readSpace(`p=${text}`)[1]);

it.each([
  ['0.5,1', '[0.5,1]'],
  ['0', '[0]'],
  [' 0.5 , 1 ', '[0.5,1]'],
  ['1.0,5.00,1e3', '[1.0,5.00,1e3]'],
  ['12345678901234567890', '[12345678901234567890]'],
  ['-0.5,.5,+1', '[-0.5,0.5,1]'],
  ['true,false,null', '[true,false,null]'],
  ['auto,required', '["auto","required"]'],
  ['True,None,NaN,1a', '["True","None","NaN","1a"]'],
  ['"0.5","true","a,b","\\"",""', '["0.5","true","a,b","\\"",""]'],
  [`'0.5','a,"b',''`, '["0.5","a,\\"b",""]'],
  ["it's,a=b", '["it\'s","a=b"]'],
  ['0..1/0.25', '{"min":0,"max":1,"step":0.25}'],
  ['-1..1/.5', '{"min":-1,"max":1,"step":0.5}'],
  ['0...5/.1', '{"min":0,"max":0.5,"step":0.1}'],
  ['64..1024:5', '{"min":64,"max":1024,"levels":5}'],
  ['64..1024:5:log', '{"min":64,"max":1024,"levels":5,"scale":"log"}'],
  ['1e-3..1:4:linear', '{"min":0.001,"max":1,"levels":4,"scale":"linear"}'],
  ['[{"type": "json"}, 5.0]', '[{"type":"json"},5.0]'],
  ['{"min": 0, "max": 1, "step": 0.5}', '{"min":0,"max":1,"step":0.5}'],
  ['a..b', '["a..b"]'],
])('p=%s is %s', (text, values) => expect(valuesOf(text)).toBe(values));

it.each([
  ['', /PARAMETER=VALUES/],
  [',', /missing next to a comma/],
  ['1,', /missing next to a comma/],
  ['"a', /begins with "/],
  ['"a"b', /not a JSON string/],
  ["'a'b", /continues after its closing quote/],
  ['0..1', /a step or a number of values/],
  ['0..1/', /a step or a number/],
  ['0..1/0.1/2', /a step or a number/],
  ['0..1:2.5', /a step or a number/],
  ['0..1:5:sqrt', /a step or a number/],
  ['0..x/1', /"x" in a range is not a number/],
  ['0..1e999/1', /not a number/],
  ['0,0.5..1/0.1', /must be the only value/],
  ['[1', /must be JSON/],
])('p=%s is refused with an explanation', (text, message) => expect(() => valuesOf(text)).toThrow(message));

it.each(['temperature', '=1', '', ' =1'])('%j names no parameter with values', (text) =>
  expect(() => readSpace(text)).toThrow(/PARAMETER=VALUES/),
);

it('a name is everything before the first equals sign', () => {
  expect(readSpace('a.b=c=d')).toEqual(['a.b', ['c=d']]);
  expect(Object.fromEntries([readSpace('__proto__=1')])).toHaveProperty(['__proto__'], [1]);
});

it.each([
  'temperature=0..1/0.25',
  'max_tokens=64..1024:5:log',
  'tool_choice=auto,required',
  'top_p=0.50,1',
  'stop="a, b","true","0.5",null,true',
  'response_format=[{"type":"json"}]',
])('%s is printed in the form that is read', (text) =>
  expect(spaceText(Object.fromEntries([readSpace(text)]))).toBe(text),
);

it('a single value and no value have a text, and long values are shortened', () => {
  expect(spaceText({ temperature: 0.5 })).toBe('temperature=0.5');
  expect(spaceText({ stop: [] })).toBe('stop=[]');
  expect(configText({})).toBe('the base');
  expect(configText({ temperature: 0.2, stop: 'a b', n: null, ['x'.repeat(1000)]: 'y'.repeat(1e6) })).toMatch(
    /^temperature=0\.2 stop="a b" n=null x{59}…=y{59}…$/,
  );
});

it('ten megabytes of values can be read', () => {
  valuesOf('0.5,'.repeat(500_000) + '1');
  valuesOf(`"${'a'.repeat(5_000_000)}"`);
  expect(() => valuesOf('0'.repeat(5_000_000) + '..')).toThrow();
});
