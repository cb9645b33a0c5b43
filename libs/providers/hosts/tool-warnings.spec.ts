import type { Tool } from '#lib/contracts/tool';
import { toolWarnings, type ToolHost } from './tool-warnings.js';

const text = { type: 'string' };
const tool = (name: string, parameters?: object, strict?: boolean): Tool => ({
  type: 'function',
  function: { name, ...(parameters && { parameters: parameters as never }), ...(strict && { strict }) },
});
const OPENAI: ToolHost = { kind: 'openai', baseUrl: 'https://api.openai.com/v1', name: 'openai' };
const AZURE: ToolHost = { kind: 'openai', baseUrl: 'https://x.openai.azure.com/openai/v1', name: 'azure' };
const ANTHROPIC: ToolHost = { kind: 'anthropic', baseUrl: 'https://api.anthropic.com', name: 'claude' };
const GOOGLE: ToolHost = {
  kind: 'google',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  name: 'gemini',
};
const XAI: ToolHost = { kind: 'openai-responses', baseUrl: 'https://api.x.ai/v1', name: 'xai' };
const LOCAL: ToolHost = { kind: 'openai', baseUrl: 'http://localhost:8000/v1', name: 'vllm' };
const ALL = [OPENAI, AZURE, ANTHROPIC, GOOGLE, XAI, LOCAL];
const warningsOf = (tools: Tool[], hosts: ToolHost[], most = tools.length): string[] =>
  toolWarnings({ tools, most }, hosts);

test('ordinary tools cause no warning for any host', () => {
  const parameters = { type: 'object', properties: { city: text }, required: ['city'], additionalProperties: false };
  expect(warningsOf([tool('a'), tool('b', parameters), tool('c', parameters, true)], ALL)).toEqual([]);
});

test('a combinator at the root is refused by OpenAI and Azure, and merged for Anthropic', () => {
  const either = {
    type: 'object',
    properties: { x: text, y: text },
    anyOf: [{ required: ['x'] }, { required: ['y'] }],
  };
  expect(warningsOf([tool('f', either), tool('g', either)], ALL)).toEqual([
    expect.stringMatching(
      /^"f" \(\/anyOf\), "g" \(\/anyOf\) cannot be sent to api\.openai\.com \("openai"\) as written:/,
    ),
    expect.stringMatching(/cannot be sent to x\.openai\.azure\.com \("azure"\)/),
    expect.stringMatching(
      /^"f" \(\/anyOf\), "g" \(\/anyOf\) are sent to api\.anthropic\.com \("claude"\) without anyOf/,
    ),
  ]);
});

test('a bare root union is merged for Gemini, and keywords that it does not support are named', () => {
  const nested = { type: 'object', properties: { a: { not: text } } };
  expect(warningsOf([tool('f', { oneOf: [{ properties: { x: text } }] }), tool('g', nested)], [GOOGLE])).toEqual([
    expect.stringMatching(/^"f" \(\/oneOf\) is sent to .*without anyOf/),
    expect.stringMatching(/^"g" \(\/properties\/a\/not\) is sent to .*with "not"/),
  ]);
});

test.each<[object | undefined, RegExp]>([
  [{ type: 'object', properties: { a: text } }, /^"f" cannot .*"additionalProperties": false/],
  [
    { type: 'object', properties: { a: text }, additionalProperties: false },
    /^"f" \(\/properties\/a\) cannot .*"required"/,
  ],
  [
    {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'object', properties: {} } } },
      required: ['a'],
      additionalProperties: false,
    },
    /^"f" \(\/properties\/a\/items\) cannot .*"additionalProperties": false/,
  ],
  [
    { type: 'object', properties: { a: { not: text } }, required: ['a'], additionalProperties: false },
    /^"f" \(\/properties\/a\/not\) cannot .*"not" is refused in strict tools/,
  ],
  [nestedObjects(11), /strict tools may have 10 levels/],
  [
    {
      type: 'object',
      properties: { a: { enum: Array.from({ length: 1001 }, (_, n) => n) } },
      required: ['a'],
      additionalProperties: false,
    },
    /1000 values of "enum"/,
  ],
])('a strict tool that OpenAI refuses is named with the position: %#', (parameters, warning) => {
  expect(warningsOf([tool('f', parameters, true)], [OPENAI])).toEqual([expect.stringMatching(warning)]);
  expect(warningsOf([tool('f', parameters, true)], [LOCAL])).toEqual([]);
  expect(warningsOf([tool('f', parameters)], [OPENAI])).toEqual([]);
});

test('"strict" without an effect is reported, and the number of strict tools that Anthropic accepts', () => {
  const strict = Array.from({ length: 21 }, (_, n) => tool(`f${n}`, undefined, true));
  const deepseek: ToolHost = { kind: 'openai', baseUrl: 'https://api.deepseek.com', name: 'deepseek' };
  expect(warningsOf(strict, [deepseek, { ...deepseek, baseUrl: 'https://api.deepseek.com/beta', name: 'b' }])).toEqual([
    expect.stringMatching(/^"f0", .* and 16 more are not strict at api\.deepseek\.com \("deepseek"\)/),
  ]);
  expect(warningsOf(strict, [ANTHROPIC])).toEqual([expect.stringMatching(/^21 tools with "strict": true .*takes 20/)]);
});

test('too many tools for one request are reported once per host, with its providers', () => {
  const many = Array.from({ length: 174 }, (_, n) => tool(`f${n}`));
  expect(warningsOf(many, [...ALL, { ...OPENAI, name: 'second' }])).toEqual([
    expect.stringMatching(/^174 tools cannot be sent to api\.openai\.com \("openai", "second"\) .*it takes 128/),
    expect.stringMatching(/^174 tools cannot be sent to x\.openai\.azure\.com/),
  ]);
  expect(warningsOf(many, ALL, 100)).toEqual([]);
  expect(warningsOf(many, [XAI, GOOGLE], 513)).toHaveLength(2);
});

function nestedObjects(levels: number): object {
  return {
    type: 'object',
    properties: levels > 1 ? { a: nestedObjects(levels - 1) } : {},
    required: levels > 1 ? ['a'] : [],
    additionalProperties: false,
  };
}
