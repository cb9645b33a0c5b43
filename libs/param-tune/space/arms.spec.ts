import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { expandSpace, type ArmSettings } from './arms.js';

const BASE: ArmSettings = { temperature: 0, tool_choice: 'required', max_tokens: 1024, params: { seed: 7 } };
const expand = (space: string, base: Partial<ArmSettings> = {}) =>
  expandSpace(parseJson(space) as JsonObject, { ...BASE, ...base }, ['search_space']);
const configs = (space: string, base?: Partial<ArmSettings>) => expand(space, base).map(({ config }) => config);

describe('the arms of a space', () => {
  it('are its combinations, each once, the base first', () => {
    expect(configs('{"temperature": [0, 0.5], "tool_choice": ["auto", "required"]}')).toEqual([
      { temperature: 0, tool_choice: 'required' },
      { temperature: 0, tool_choice: 'auto' },
      { temperature: 0.5, tool_choice: 'auto' },
      { temperature: 0.5, tool_choice: 'required' },
    ]);
  });

  it('include the base with its settings when the space does not', () => {
    expect(configs('{"temperature": [0.5], "top_p": [0.1]}')).toEqual([
      { temperature: 0 },
      { temperature: 0.5, top_p: 0.1 },
    ]);
  });

  it('keep base settings that the space does not name', () => {
    const [base, arm] = expand('{"top_p": 0.5}', { temperature: 0.3 });
    expect(base!.settings).toEqual({ ...BASE, temperature: 0.3 });
    expect(arm).toEqual({
      config: { top_p: 0.5 },
      settings: { ...BASE, temperature: 0.3, params: { seed: 7, top_p: 0.5 } },
      levels: [0],
      changes: 1,
    });
  });

  it('send provider parameters with numbers as written, and settings as numbers', () => {
    const [, arm] = expand('{"top_p": [0.50], "temperature": [0.50, 0.5]}');
    expect(JSON.stringify(arm!.settings)).toBe(
      '{"temperature":0.5,"tool_choice":"required","max_tokens":1024,"params":{"seed":7,"top_p":0.50}}',
    );
  });

  it('replace a parameter of the base', () => {
    expect(configs('{"seed": [7, 8]}')).toEqual([{ seed: 7 }, { seed: 8 }]);
  });
});

const many = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, n) => n));
it.each([
  ['nothing', '{}', '/search_space', /is empty/],
  ['a parameter without values', '{"top_p": []}', '/search_space/top_p', /has no value/],
  ['messages', '{"messages": [[]]}', '/search_space/messages', /is the run's own/],
  ['the model in another spelling', '{"Model": ["x"]}', '/search_space/Model', /ask for models in "models"/],
  ['samples', '{"samples": [1, 2]}', '/search_space/samples', /a setting of the run/],
  ['a word as temperature', '{"temperature": ["hot"]}', '/search_space/temperature', /the value "hot"/],
  ['a temperature of 3', '{"temperature": [0, 3]}', '/search_space/temperature', /the value 3/],
  ['an unknown tool choice', '{"tool_choice": ["maybe"]}', '/search_space/tool_choice', /the value "maybe"/],
  ['half a token', '{"max_tokens": [0.5]}', '/search_space/max_tokens', /the value 0.5/],
  ['too many combinations', `{"a": ${many(101)}, "b": ${many(101)}}`, '/search_space', /10201 combinations/],
  [
    'too many parameters',
    JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`p${n}`, 1]))),
    '/search_space',
    /21 parameters/,
  ],
])('a space with %s is refused with its path', (_what, space, path, message) => {
  const refused = (): unknown => {
    try {
      return expand(space);
    } catch (error) {
      return error;
    }
  };
  expect(refused()).toBeInstanceOf(ProblemError);
  expect((refused() as ProblemError).errors).toEqual([{ path, message: expect.stringMatching(message) }]);
});
