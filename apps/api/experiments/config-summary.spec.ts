import type { JsonObject } from '#lib/contracts/json/json';
import { RunInput } from '#lib/contracts/run-input';
import { replaceSettings, settingsOf } from '../runs/settings-of-run.js';
import { summariseConfig } from './config-summary.js';

const target = (modelId: string, params: JsonObject = {}, recorded = false) => ({
  providerKey: recorded ? 'recorded' : 'sim',
  modelId,
  params,
  recorded,
  n: 4,
  errored: 0,
  overallCi: null,
  scored: 4,
});
const {
  suite_id: _suite,
  models: _models,
  experiment_id: _experiment,
  ...defaults
} = RunInput.parse({
  suite_id: 'x',
  models: ['sim::a'],
});
const runOf = (config: object = {}, targets = [target('a')], suiteVersion = 1) => ({
  config: { ...defaults, cache: 'use', ...config } as unknown as JsonObject,
  targets,
  suiteVersion,
});

describe('what differs from the baseline', () => {
  it.each([
    ['nothing', {}, 'as baseline'],
    ['a temperature, and no prompt', { temperature: 0.7, system_prompt: null }, 'temperature 0.7, no system prompt'],
    ['a prompt per model', { system_prompt: { '*': 'x' } }, 'system prompt'],
    ['an empty prompt', { system_prompt: '' }, 'no system prompt'],
    [
      'other texts than the suite has',
      { base_prompt: 'x', tool_overrides: { a: '', b: '' } },
      'base prompt, 2 other descriptions of tools',
    ],
    [
      'no base prompt, one other description',
      { base_prompt: '', tool_overrides: { a: '' } },
      'no base prompt, 1 other description of tools',
    ],
    [
      'the texts of the suite, as an earlier release stores it',
      { base_prompt: undefined, tool_overrides: undefined },
      'as baseline',
    ],
    ['a tool choice', { tool_choice: 'auto' }, 'tool choice auto'],
    ['one sample', { samples: 1, cache: 'use' }, '1 sample'],
    ['a cache mode that does not follow from the rest', { cache: 'refresh' }, 'cache refresh'],
    ['parameters', { params: { top_p: 0, stop: ['x'] } }, 'top_p 0, stop, no seed'],
    ['cases', { case_filter: { tags: ['a', 'b'], category: 'c' } }, 'cases with category c and tags a or b'],
    ['a filter that leaves all cases', { case_filter: { tags: [] } }, 'as baseline'],
    ['metrics', { metrics: [{ id: 'bfcl_ast' }, { id: 'bfcl_ast', as: 'b' }] }, 'metrics bfcl_ast and b'],
    [
      'limits',
      { max_tokens: 7, timeout_s: 9, budget: { max_requests: 1 }, model_order: 'parallel' },
      'token limit 7, timeout 9 s, models in parallel, budget',
    ],
  ])('is described in words: %s', (_what, config, words) => {
    const baseline = { samples: 3, cache: 'off', system_prompt: 'Be brief.', params: { seed: 7 } };
    expect(summariseConfig(runOf({ ...baseline, ...config }), runOf(baseline))).toBe(words);
  });

  it('names another suite version, other models, and other parameters of the same models in any order', () => {
    const two = runOf({}, [target('a'), target('b')]);
    expect(summariseConfig(runOf({}, [target('b'), target('a')], 2), two)).toBe('suite version 2');
    expect(summariseConfig(runOf(), two)).toBe('model sim::a');
    expect(summariseConfig(two, runOf())).toBe('models sim::a and sim::b');
    expect(summariseConfig(runOf({}, [target('a'), target('b', { top_k: 3 })]), two)).toBe('top_k of sim::b 3');
    expect(summariseConfig(runOf({}, [target('a', { top_k: 3 })]), runOf())).toBe('top_k 3');
  });

  it('leaves out settings that a recorded run lacks, and is unknown without a baseline', () => {
    const unknown = { temperature: null, tool_choice: null, max_tokens: null, timeout_s: null, cache: 'off' };
    const recorded = runOf({ ...unknown, samples: 2 }, [target('agent', {}, true)]);
    expect(summariseConfig(recorded, runOf())).toBe('model recorded::agent, 2 samples');
    expect(summariseConfig(runOf(), recorded)).toBe('model sim::a, 1 sample');
    expect(summariseConfig(runOf(), undefined)).toBe('no baseline');
  });
});

describe('the best configuration with other models', () => {
  it('keeps the prompts of the remaining models, however they are named, and of "*"', () => {
    const prompts = { 'sim::a': 'A', 'sim::b': 'B', '*': 'rest' };
    const best = settingsOf({ ...runOf({ system_prompt: prompts }), targets: [target('a'), target('b')] } as never)!;
    const promptsFor = (...models: unknown[]) =>
      replaceSettings(best, { models: models as [] }, 'best run').system_prompt;
    expect(replaceSettings(best, {}, 'best run').system_prompt).toEqual(prompts);
    expect(promptsFor('sim::a')).toEqual({ 'sim::a': 'A', '*': 'rest' });
    expect(promptsFor('b', 'other::a')).toEqual({ 'sim::b': 'B', '*': 'rest' });
    expect(promptsFor({ provider_key: 'sim', model_id: 'a' })).toEqual({ 'sim::a': 'A', '*': 'rest' });
    expect(replaceSettings({ ...best, system_prompt: 'all' }, { models: ['c'] }, 'best run').system_prompt).toBe('all');
  });

  it('keeps the texts of a prompt version, or takes all texts of another one', () => {
    const texts = { base_prompt: '', tool_overrides: { 'tools/f/description': 'F.' }, prompt_version_id: 'one' };
    const best = settingsOf(runOf(texts) as never)!;
    expect(replaceSettings(best, { samples: 2 }, 'best run')).toMatchObject(texts);
    const other = { base_prompt: null, tool_overrides: {}, prompt_version_id: 'other' };
    expect(replaceSettings(best, { prompt_version_id: 'other' }, 'baseline')).toMatchObject(other);
    expect(replaceSettings(best, { prompt_version_id: 'other', base_prompt: 'B' }, 'baseline')).toMatchObject({
      ...other,
      base_prompt: 'B',
    });
    const { base_prompt, tool_overrides, prompt_version_id, ...earlier } = runOf().config as never as typeof texts;
    expect(settingsOf({ ...runOf(), config: earlier } as never)).toMatchObject({ ...other, prompt_version_id: null });
    expect([base_prompt, tool_overrides, prompt_version_id]).toEqual([null, {}, null]);
  });

  it('is refused when it holds settings of an earlier release that are no longer valid', () => {
    const best = { ...settingsOf(runOf({ samples: 1000 }) as never)! };
    expect(() => replaceSettings(best, {}, 'best run')).toThrow(/no longer valid \(samples must be at most 100\)/);
    expect(replaceSettings(best, { samples: 2 }, 'best run').samples).toBe(2);
  });
});
