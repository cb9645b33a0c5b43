import { findJsonExcess } from './count-values.js';

describe('a JSON text has', () => {
  const most = { values: 5, depth: 2 };
  it.each<[text: string, excess: 'values' | 'depth' | undefined]>([
    ['[1,2,3,4,5]', undefined],
    ['[1,2,3,4,5,6]', 'values'],
    ['{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', 'values'],
    ['[[],[],[]]', 'values'],
    ['[[]]', undefined],
    ['[{"a":[]}]', 'depth'],
    ['[[],[]]', undefined],
    ['"[[[[{{{{,,,,,,"', undefined],
    ['["\\"[[[[,,,,,,"]', undefined],
    ['["\\\\",1,[[]]]', 'depth'],
    ['["never ends, [[[[', undefined],
    ['[["\\', undefined],
  ])('%s: %s', (text, excess) => expect(findJsonExcess(text, most)).toBe(excess));
});
