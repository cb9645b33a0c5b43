import { readFileSync } from 'node:fs';
import { RESERVED_PARAMS, findReservedParams } from './params.js';

it("the run's own settings are refused as parameters, in every spelling that a server may accept", () => {
  const spellings = (name: string): string[] => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const camel = snake.replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
    return [
      name,
      snake,
      camel,
      snake.replaceAll('_', '-'),
      name.toUpperCase(),
      name[0]!.toUpperCase() + name.slice(1),
      name.replace('s', '\u017f'),
      name.replace('k', '\u212a'),
    ];
  };
  for (const name of RESERVED_PARAMS.flatMap(spellings))
    expect([name, findReservedParams({ [name]: 1 }, 'params')]).toEqual([
      name,
      [expect.objectContaining({ path: `/params/${name}` })],
    ]);
});

it('parameters that only shape a reply are accepted', () => {
  const params = {
    temperature: 0,
    top_p: 1,
    top_k: 1,
    max_tokens: 1,
    max_completion_tokens: 1,
    seed: 1,
    stop: ['x'],
    response_format: {},
    reasoning_effort: 'low',
    parallel_tool_calls: false,
    user: 'u',
    store: false,
    metadata: { model: 'm' },
    provider: { order: ['a'] },
    thinking: {},
    thinkingConfig: {},
    safetySettings: [],
    anthropic_version: '2023-06-01',
    include: [],
    chat_template_kwargs: {},
    service_tier: 'flex',
    num_ctx: 1,
  };
  expect(findReservedParams(params)).toEqual([]);
});

it('the description of params lists them', () => {
  const documented = readFileSync('docs/dialects.md', 'utf8');
  for (const name of RESERVED_PARAMS) expect(documented).toContain(`\`${name}\``);
});
