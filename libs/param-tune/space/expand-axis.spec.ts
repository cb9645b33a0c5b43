import { parseJson } from '#lib/contracts/json/json';
import { expandAxis } from './expand-axis.js';

const valuesOf = (text: string): unknown => {
  const expanded = expandAxis(parseJson(text));
  return 'values' in expanded ? JSON.stringify(expanded.values) : expanded.fault;
};

it.each([
  ['{"min": 0, "max": 0.3, "step": 0.1}', '[0,0.1,0.2,0.3]'],
  ['{"min": 0.1, "max": 0.35, "step": 0.1}', '[0.1,0.2,0.3]'],
  ['{"min": -1, "max": 1, "step": 1}', '[-1,0,1]'],
  ['{"min": 1e-7, "max": 3e-7, "step": 1E-7}', '[1e-7,2e-7,3e-7]'],
  ['{"min": 0.0, "max": 1.0, "step": 0.50}', '[0,0.5,1]'],
  ['{"min": 9007199254740993, "max": 9007199254740993, "step": 1}', '[9007199254740992]'],
  ['{"min": 256, "max": 4096, "levels": 5, "scale": "log"}', '[256,512,1024,2048,4096]'],
  ['{"min": 0.01, "max": 1, "levels": 3, "scale": "log"}', '[0.01,0.1,1]'],
  ['{"min": 0, "max": 1, "levels": 4}', '[0,0.333333,0.666667,1]'],
  ['{"min": 0, "max": 100, "levels": 7}', '[0,17,33,50,67,83,100]'],
  ['{"min": 5, "max": 9, "levels": 1}', '[5]'],
  ['[0.2, 0.2, "a", null, {"b": 1}, {"b": 1}]', '[0.2,"a",null,{"b":1}]'],
  ['[5, 5.0]', '[5,5.0]'],
  ['0.7', '[0.7]'],
  ['"auto"', '["auto"]'],
])('%s is %s', (text, values) => expect(valuesOf(text)).toBe(values));

it.each([
  ['[]', /no value/],
  ['{}', /not a range/],
  ['{"min": 0, "max": 1}', /not a range/],
  ['{"min": 0, "max": 1, "step": 0.1, "levels": 2}', /field "levels"/],
  ['{"min": 0, "max": 1, "step": 0}', /"step" above 0/],
  ['{"min": 0, "max": 1, "step": -1}', /"step" above 0/],
  ['{"min": 2, "max": 1, "step": 1}', /"min" above its "max"/],
  ['{"min": "0", "max": 1, "step": 1}', /numbers "min" and "max"/],
  ['{"min": 0, "max": 1e999999, "step": 1}', /numbers "min" and "max"/],
  ['{"min": 0, "max": 1e300, "step": 1e-300}', /values, and a parameter may have 1000/],
  ['{"min": 0, "max": 1, "levels": 0}', /whole number of "levels"/],
  ['{"min": 0, "max": 1, "levels": 2.5}', /whole number of "levels"/],
  ['{"min": 0, "max": 1, "levels": 3, "scale": "log"}', /above 0 on a "log" scale/],
  ['{"min": 1, "max": 2, "levels": 3, "scale": "sqrt"}', /neither "linear" nor "log"/],
  [`[${'0,'.repeat(1000)}0]`, /1001 values/],
])('%# %.60s is refused with a reason', (text, fault) => expect(valuesOf(text)).toMatch(fault));
