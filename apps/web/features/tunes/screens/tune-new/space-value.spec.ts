import { parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import {
  faultOfRows,
  kindOf,
  ofKind,
  readValues,
  renamed,
  rowsIn,
  toRows,
  toSpace,
  valuesText,
  withRow,
} from './space-value.js';

const json = (value: unknown): string => JSON.stringify(value);

describe('the rows of a search space', () => {
  it('convert to the space and back, with numbers as written', () => {
    const text = '{"top_p":[0.50,1.0],"seed":12345678901234567890,"max_tokens":{"min":0,"max":1e2,"step":10}}';
    const rows = toRows(parseJson(text) as JsonObject);
    expect(json(toSpace(rows))).toBe(text);
    expect(rowsIn(rows).map(({ id, name }) => [id, name])).toEqual([
      ['r1', 'top_p'],
      ['r2', 'seed'],
      ['r3', 'max_tokens'],
    ]);
  });

  it('report why they are not a valid space', () => {
    const row = (name: string): Json => ({ name, axis: [0] });
    expect(faultOfRows({ r1: row('a'), r2: row('b') })).toBeUndefined();
    expect(faultOfRows({ r1: row('a'), r2: row('') })).toMatch(/no name/);
    expect(faultOfRows({ r1: row('a'), r2: row('a') })).toMatch(/a is listed twice/);
  });

  it('suggest the common parameters, then an empty name', () => {
    let rows: JsonObject = {};
    for (let n = 0; n < 5; n++) rows = withRow(rows);
    expect(rowsIn(rows).map(({ name }) => name)).toEqual(['temperature', 'top_p', 'tool_choice', 'max_tokens', '']);
    const { r2: _removed, ...rest } = rows;
    expect(Object.keys(withRow(rest)).at(-1)).toBe('r6');
  });

  it('change values with the name only while they are the suggested ones', () => {
    expect(renamed({ id: 'r1', name: 'top_p', axis: [0.5, 0.9, 1] }, 'tool_choice').axis).toEqual(['auto', 'required']);
    expect(renamed({ id: 'r1', name: 'top_p', axis: [0.5] }, 'tool_choice').axis).toEqual([0.5]);
    expect(renamed({ id: 'r1', name: 'top_p', axis: [0.5, 0.9, 1] }, 'top_k').axis).toEqual([0.5, 0.9, 1]);
  });
});

it.each<[string, string]>([
  ['[0,0.5]', 'list'],
  ['0.7', 'list'],
  ['{"min":0,"max":1,"step":0.1}', 'step'],
  ['{"min":0,"max":1,"levels":3}', 'linear'],
  ['{"min":1,"max":9,"levels":3,"scale":"log"}', 'log'],
])('the kind of %s is %s', (axis, kind) => expect(kindOf(parseJson(axis))).toBe(kind));

it.each<[Json, Parameters<typeof ofKind>[1], string]>([
  [[0.5, 0, 1], 'step', '{"min":0,"max":1,"step":0.25}'],
  [['auto'], 'linear', '{"min":0,"max":1,"levels":5,"scale":"linear"}'],
  [{ min: 0, max: 2, step: 1 }, 'log', '{"min":0,"max":2,"levels":5,"scale":"log"}'],
  [{ min: 1, max: 9, levels: 3, scale: 'log' }, 'linear', '{"min":1,"max":9,"levels":3,"scale":"linear"}'],
  [{ min: 0, max: 2, step: 1 }, 'list', '[0,2]'],
])('%j becomes %s', (axis, kind, expected) => expect(json(ofKind(axis, kind))).toBe(expected));

it.each([
  ['0, 0.50, 1', '[0,0.50,1]'],
  ['auto, required', '["auto","required"]'],
  ['0, 0.5,', '[0,0.5]'],
  ['"a, b", 1', '["a, b",1]'],
  ['{"type": "auto"}, null, true', '[{"type":"auto"},null,true]'],
  ['', '[]'],
  ['auto, "1"', '["auto","1"]'],
])('%j is read as values', (text, values) => expect(json(readValues(text))).toBe(values));

it.each(['[0,0.50]', '["auto","required"]', '["1","true","a, b"," x",""]', '[null,{"a":[1]},false]', '[]'])(
  'the text of %s reads back as the same value',
  (values) => expect(json(readValues(valuesText(parseJson(values) as Json[])))).toBe(values),
);
