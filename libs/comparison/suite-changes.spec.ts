import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { SuiteSettings } from '#lib/contracts/suite';
import type { Tool } from '#lib/contracts/tool';
import { suiteChanges } from './suite-changes.js';

const tool = (name: string, parameters: JsonObject = {}): Tool => ({
  type: 'function',
  function: { name, description: name, parameters },
});
const suite: SuiteSettings = {
  name: 'Weather',
  description: '',
  system_prompt: null,
  pass_threshold: 1,
  tools: [tool('weather'), tool('news')],
};
const changes = (more: Partial<SuiteSettings>): unknown =>
  JSON.parse(JSON.stringify(suiteChanges(suite, { ...suite, ...more })));
const none = { added: [], removed: [], changed: [] };

it('finds no changes between equal suites', () => {
  expect(changes({})).toEqual({ settings: [], tools: none });
});

it('names each setting that differs, and cuts long texts', () => {
  expect(changes({ name: 'Other', pass_threshold: 0.5, system_prompt: 'x'.repeat(9000) })).toEqual({
    settings: [
      { path: '/name', a: 'Weather', b: 'Other' },
      { path: '/system_prompt', a: null, b: `${'x'.repeat(500)}...` },
      { path: '/pass_threshold', a: 1, b: 0.5 },
    ],
    tools: none,
  });
});

it('names what its conversations begin with otherwise, tool by tool', () => {
  const conversation = { max_rounds: 5, tools: { weather: [{ respond: 'sunny' }] } };
  expect(changes({ conversation })).toEqual({
    settings: [
      { path: '/conversation/max_rounds', a: null, b: 5 },
      { path: '/conversation/tools/weather', a: null, b: [{ respond: 'sunny' }] },
    ],
    tools: none,
  });
});

it('names added and removed tools, and lists how the others differ, with numbers as written', () => {
  const precise = tool('weather', parseJson('{"maximum": 5.0}') as JsonObject);
  expect(changes({ tools: [tool('time'), precise] })).toEqual({
    settings: [{ path: '/tools/weather/parameters', a: {}, b: { maximum: 5 } }],
    tools: { added: ['time'], removed: ['news'], changed: ['weather'] },
  });
  const before = { ...suite, tools: [tool('weather', { maximum: 5 })] };
  expect(suiteChanges(before, { ...suite, tools: [precise] }).tools.changed).toEqual(['weather']);
});

it('reports another order of the tools', () => {
  expect(changes({ tools: suite.tools.toReversed() })).toEqual({
    settings: [{ path: '/tools', a: ['weather', 'news'], b: ['news', 'weather'] }],
    tools: none,
  });
});

it('bounds the list for tools with many fields', () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`x-${n}`, n]));
  const wide: Tool = { type: 'function', function: { ...tool('weather').function, ...many } };
  expect(suiteChanges(suite, { ...suite, tools: [wide, suite.tools[1]!] }).settings).toHaveLength(200);
});
