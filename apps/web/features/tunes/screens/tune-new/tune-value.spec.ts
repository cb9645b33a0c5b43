import { parseJson } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import { emptyTune, fromTune, requestOf } from './tune-value.js';

const input = (text: string): Pick<ParamTune, 'input'> => ({ input: parseJson(text) as unknown as ParamTune['input'] });
const bodyOf = (value: ReturnType<typeof emptyTune>) => {
  const written = requestOf({ value, unread: {} });
  return 'body' in written ? written.body : written.faults;
};

describe('the request of a tune', () => {
  it('repeats the request of an earlier tune exactly', () => {
    const text =
      '{"suite_id":"s","models":["p::m"],"search_space":{"temperature":[0,0.50],"top_p":1.0},' +
      '"per_model_search_spaces":{"p::m":{"seed":[12345678901234567890]}},"mode":"grid","base":{"temperature":0,' +
      '"params":{"seed":7.0}},"margin":0,"holdout":0,"seed":0,"budget":{"max_requests":100}}';
    const body = bodyOf(fromTune(input(text))) as string;
    expect(parseJson(body)).toEqual(parseJson(text));
    for (const kept of ['0.50', '1.0', '12345678901234567890', '7.0', '"margin":0,', '"holdout":0,', '"seed":0'])
      expect(body).toContain(kept);
  });

  it('has no budget without a limit', () => {
    const tune = { ...emptyTune('s'), models: ['p::m'] };
    expect(bodyOf({ ...tune, budget: {} })).not.toContain('budget');
    expect(bodyOf({ ...tune, budget: { max_cost_usd: 1 } })).toContain('"budget":{"max_cost_usd":1}');
  });

  it('has no prompts of a choice that was made before', () => {
    const tune = { ...emptyTune('s'), models: ['p::m'], typed_prompts: { all: 'Earlier.' } };
    expect(bodyOf(tune)).not.toMatch(/typed_prompts|Earlier/);
  });

  it('reports missing fields', () => {
    expect(bodyOf(emptyTune(''))).toEqual([
      { path: '/suite_id', message: 'Choose a suite.' },
      { path: '/models', message: 'Choose at least one model.' },
    ]);
    const tune = { ...emptyTune('s'), models: ['p::m'] };
    expect(bodyOf({ ...tune, search_space: { r1: { name: '', axis: [1] } } })).toEqual([
      expect.objectContaining({ message: 'A parameter has no name.' }),
    ]);
    expect(bodyOf({ ...tune, per_model_search_spaces: { 'p::m': { r1: { name: '', axis: [1] } } } })).toEqual([
      expect.objectContaining({ message: 'A parameter has no name. (p::m)' }),
    ]);
    expect(requestOf({ value: tune, unread: { '/margin': '0.' } })).toEqual({
      faults: [expect.objectContaining({ message: 'A field is not valid yet.' })],
    });
  });
});
