import type { CaseInput } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json/json';
import { contentOf, questionOf } from './case-content.js';

const read = (json: string): CaseInput => parseJson(json) as unknown as CaseInput;
const base =
  '"prompt": "Weather in Paris?", "expected_tool": "weather", "expected_params": {"city": "Paris", "days": 5}';
const tool = (parameters: string): string =>
  `{"type": "function", "function": {"name": "weather", "parameters": ${parameters}}}`;

it.each<[string, string, string]>([
  [
    'its name, category, tags, source, draft, id and place',
    `{${base}}`,
    `{${base}, "name": "n", "category": "c", "tags":
    ["t"], "source": "s", "draft": true, "id": "0190f3c2-1b7a-7c3e-9d42-5f6a8b9c0d1e", "position": 3}`,
  ],
  [
    'the order of keys',
    `{${base}}`,
    `{"expected_params": {"days": 5, "city": "Paris"}, "expected_tool": "weather",
    "prompt": "Weather in Paris?"}`,
  ],
  ['a list of one tool', `{${base}}`, `{${base.replace('"weather"', '["weather"]')}}`],
  [
    'one expected call in a list',
    `{${base}}`,
    `{"prompt": "Weather in Paris?", "expected_calls":
    [{"tool": "weather", "params": {"city": "Paris", "days": 5}}]}`,
  ],
  [
    'a prompt as a message',
    `{${base}}`,
    `{"messages": [{"content": "Weather in Paris?", "role": "user"}],
    "expected_tool": "weather", "expected_params": {"city": "Paris", "days": 5}}`,
  ],
  [
    'defaults that are written out',
    `{${base}}`,
    `{${base}, "param_scoring": "exact", "scoring_config": null,
    "call_order": "any", "allow_extra_calls": true, "multi_turn": false, "optimal_hops": null}`,
  ],
  [
    'the way to expect no call',
    '{"prompt": "Hi", "expected_tool": null}',
    '{"prompt": "Hi", "should_call_tool": false}',
  ],
  ['no call as a list', '{"prompt": "Hi", "expected_tool": null}', '{"prompt": "Hi", "expected_calls": []}'],
  ['a seed of 0', `{${base}, "distractors": 3}`, `{${base}, "distractors": {"seed": 0, "count": 3}}`],
  ['the default number of rounds', `{${base}, "multi_turn": true}`, `{${base}, "multi_turn": true, "max_rounds": 5}`],
  [
    'the defaults of a conversation that are written out',
    '{"prompt": "p", "conversation": {"goal": {"state": {"/a": 1}}}}',
    '{"prompt": "p", "conversation": {"max_rounds": 12, "validate": true, ' +
      '"goal": {"call_order": "any", "state": {"/a": 1}}}}',
  ],
])('a case stays the same whatever changes %s', (_what, one, other) => {
  expect(contentOf(read(other))).toBe(contentOf(read(one)));
});

it.each<[string, string, string]>([
  ['another prompt', `{${base}}`, `{${base.replace('Paris?', 'Rome?')}}`],
  ['another expected tool', `{${base}}`, `{${base.replace('"weather"', '"news"')}}`],
  ['another acceptable tool', `{${base}}`, `{${base.replace('"weather"', '["weather", "news"]')}}`],
  ['a number written otherwise', `{${base}}`, `{${base.replace('5', '5.0')}}`],
  ['arguments that are no longer compared', `{${base}}`, '{"prompt": "Weather in Paris?", "expected_tool": "weather"}'],
  [
    'no arguments',
    '{"prompt": "p", "expected_tool": "f"}',
    '{"prompt": "p", "expected_tool": "f", "expected_params": {}}',
  ],
  ['another rule', `{${base}}`, `{${base}, "param_scoring": "fuzzy"}`],
  [
    'another rule for one argument',
    `{${base}}`,
    `{${base}, "scoring_config": {"params": {"city": {"mode": "fuzzy"}}}}`,
  ],
  ['extra calls forbidden', `{${base}}`, `{${base}, "allow_extra_calls": false}`],
  ['a chain', `{${base}}`, `{${base}, "multi_turn": true}`],
  ['other rounds', `{${base}, "multi_turn": true}`, `{${base}, "multi_turn": true, "max_rounds": 4}`],
  ['another mock', `{${base}, "mock_responses": {"f": 1}}`, `{${base}, "mock_responses": {"f": 2}}`],
  [
    'another state of its conversation',
    '{"prompt": "p", "conversation": {"state": {"a": 1}, "goal": {"state": {"/a": 2}}}}',
    '{"prompt": "p", "conversation": {"state": {"a": 3}, "goal": {"state": {"/a": 2}}}}',
  ],
  [
    'another goal of its conversation',
    '{"prompt": "p", "conversation": {"goal": {"state": {"/a": 2}}}}',
    '{"prompt": "p", "conversation": {"goal": {"state": {"/a": 3}}}}',
  ],
  ['fewer tools', `{${base}, "tools": ["weather", "news"]}`, `{${base}, "tools": ["weather"]}`],
  ['another schema', `{${base}, "tools": [${tool('{}')}]}`, `{${base}, "tools": [${tool('{"type": "object"}')}]}`],
  ['distractors', `{${base}}`, `{${base}, "distractors": 0}`],
  ['a field of a later release', `{${base}}`, `{${base}, "patience": 0}`],
])('%s makes another case', (_what, one, other) => {
  expect(contentOf(read(other))).not.toBe(contentOf(read(one)));
});

it('asks the same question whatever it expects', () => {
  const [one, other] = [`{${base}}`, `{${base.replace('"weather"', '"news"')}, "param_scoring": "fuzzy"}`].map(read);
  expect(questionOf(other!)).toBe(questionOf(one!));
  expect(questionOf(read(`{${base}, "tools": ["weather"]}`))).not.toBe(questionOf(one!));
});
