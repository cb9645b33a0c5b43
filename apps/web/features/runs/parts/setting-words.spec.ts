import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { configInWords, settingInWords } from './setting-words.js';

const inWords = (key: string, json: string): string => settingInWords(key, parseJson(json));

describe('a setting in words', () => {
  it.each([
    [
      'search_space',
      '{"temperature":{"min":0,"max":1,"step":0.25},"tool_choice":["auto","required"],' +
        '"top_p":{"min":0.5,"max":1,"levels":3}}',
      'temperature 0 to 1 by 0.25\ntool choice auto, required\ntop_p 0.5 to 1 in 3 levels',
    ],
    ['per_model_search_spaces', '{"sim::a":{"seed":[1,2]}}', 'sim::a: seed 1, 2'],
    [
      'base',
      '{"temperature":1,"tool_choice":"required","max_tokens":null,"params":{}}',
      'temperature 1, tool choice required, no token limit',
    ],
    ['params', '{"top_p":0.90,"stop":["a","b"]}', 'top_p 0.90, stop a, b'],
    ['params', '{}', 'none'],
    [
      'metrics',
      '[{"id":"ragas_tool_call_f1"},{"id":"f1","as":"strict","options":{"threshold":0.8}}]',
      'ragas_tool_call_f1, strict (threshold 0.8)',
    ],
    ['case_filter', '{"category":"travel","tags":["smoke","slow"]}', 'category travel, tags smoke or slow'],
    ['budget', '{"max_requests":10000,"max_cost_usd":5}', '$5, 10,000 requests'],
    ['tool_overrides', '{"tools/a/description":"x"}', '1 text'],
    ['judge', '{"judge":"sim::j","below":0.5,"when":"after"}', 'sim::j, below 0.5, when it has ended'],
    ['timeout_s', '60', '60 s'],
    ['model_order', '"parallel"', 'all at once'],
    ['temperature', '0.50', '0.50'],
    ['system_prompt', '"Be brief."', 'Be brief.'],
    ['unheard_of', '{"a":{"b":[true,null]}}', 'a b yes, none'],
  ])('%s', (key, json, words) => {
    expect(inWords(key, json)).toBe(words);
  });

  it('leaves out empty settings of a line', () => {
    expect(configInWords({ params: {}, other: {}, system_prompt: null } as JsonObject, 'the base')).toBe('the base');
  });
});
