import { parseJson } from '#lib/contracts/json/json';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { PromptTuneInput } from '#lib/prompt-tune/contract';
import {
  ALL_TOOLS,
  choiceOf,
  emptyPromptTune,
  fromPromptTune,
  otherComponents,
  requestOf,
  SYSTEM_PROMPT,
  withComponent,
} from './prompt-tune-value.js';

const bodyOf = (value: ReturnType<typeof emptyPromptTune>) => {
  const written = requestOf({ value, unread: {} });
  return 'body' in written ? written.body : written.faults;
};
const chosen = { ...emptyPromptTune('019aa8a2-5c1e-7000-8000-000000000011'), models: ['p::m'], meta_model: 'p::meta' };

describe('the request of a prompt tune', () => {
  it('sends the defaults of the API unless something else is chosen', () => {
    const { suite_id, models, meta_model } = chosen as unknown as PromptTuneInput;
    const asked = PromptTuneInput.parse(JSON.parse(bodyOf(chosen) as string));
    expect(asked).toEqual(PromptTuneInput.parse({ suite_id, models, meta_model }));
  });

  it('distinguishes an empty base from that of the suite', () => {
    expect(bodyOf({ ...chosen, base: { system_prompt: '', tools: {} } })).toContain('"system_prompt":""');
    expect(bodyOf(chosen)).toContain('"system_prompt":null');
  });

  it('repeats the request of an earlier tune exactly', () => {
    const text = '{"suite_id":"s","models":["p::m"],"meta_model":"p::x","components":["system_prompt"],"holdout":0.50}';
    const input = parseJson(text) as unknown as PromptTune['input'];
    expect(bodyOf(fromPromptTune({ input }))).toBe(text);
  });

  it('reports missing fields', () => {
    expect(bodyOf({ ...emptyPromptTune(''), components: [] })).toEqual(
      ['Choose a suite.', 'Choose at least one model.', 'Choose the meta model.', 'Choose a text to tune.'].map(
        (message) => expect.objectContaining({ message }),
      ),
    );
    expect(bodyOf({ ...chosen, budget: { max_cost_usd: 1 } })).toContain('"budget":{"max_cost_usd":1}');
  });
});

it('a component without its own checkbox stays visible, so that it can be removed', () => {
  const { description, parameters } = choiceOf('get_weather');
  const place = 'tools/get_weather/parameters/properties/city/description';
  const chosen = [SYSTEM_PROMPT, ALL_TOOLS, description, parameters, place, 'tools/gone/description'];
  expect(otherComponents(chosen, ['get_weather'])).toEqual([place, 'tools/gone/description']);
});

it('a component is chosen once', () => {
  expect(withComponent(['a', 'b'], 'a', true)).toEqual(['b', 'a']);
  expect(withComponent(['a', 'b'], 'a', false)).toEqual(['b']);
});
