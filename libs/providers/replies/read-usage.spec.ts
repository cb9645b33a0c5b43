import { costOf, NO_USAGE, type Usage } from '#lib/contracts/cost';
import { parseJson, type Json } from '#lib/contracts/json/json';
import fc from '../../../test/fast-check.js';
import { readAnthropicUsage, readGoogleUsage, readOpenaiResponsesUsage, readOpenaiUsage } from './read-usage.js';

const READERS = { readAnthropicUsage, readGoogleUsage, readOpenaiResponsesUsage, readOpenaiUsage };
const usage = (more: Partial<Usage>): Usage => ({ ...NO_USAGE, ...more });
const read = (reader: keyof typeof READERS, text: string): Usage => READERS[reader](parseJson(text));

describe('usage is read in the format of each host', () => {
  it.each<[string, keyof typeof READERS, string, Partial<Usage>]>([
    [
      'OpenAI',
      'readOpenaiUsage',
      `{"prompt_tokens":20212,"completion_tokens":300,"total_tokens":20512,
        "prompt_tokens_details":{"cached_tokens":16298},"completion_tokens_details":{"reasoning_tokens":256}}`,
      { promptTokens: 20212, completionTokens: 300, cacheReadTokens: 16298, reasoningTokens: 256 },
    ],
    [
      'OpenAI, whose newer models bill cache writes',
      'readOpenaiResponsesUsage',
      `{"input_tokens":2000,"output_tokens":10,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":1920},
        "output_tokens_details":{"reasoning_tokens":4}}`,
      {
        promptTokens: 2000,
        completionTokens: 10,
        cacheReadTokens: 0,
        cacheWrite5mTokens: 1920,
        reasoningTokens: 4,
      },
    ],
    [
      'Anthropic, which counts its cache separately',
      'readAnthropicUsage',
      '{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550}',
      { promptTokens: 12307, completionTokens: 550, cacheReadTokens: 0, cacheWrite5mTokens: 12304 },
    ],
    [
      'Anthropic with both lengths',
      'readAnthropicUsage',
      `{"input_tokens":3,"cache_creation_input_tokens":500,"cache_read_input_tokens":100,"output_tokens":5,
        "cache_creation":{"ephemeral_5m_input_tokens":200,"ephemeral_1h_input_tokens":300}}`,
      {
        promptTokens: 603,
        completionTokens: 5,
        cacheReadTokens: 100,
        cacheWrite5mTokens: 200,
        cacheWrite1hTokens: 300,
      },
    ],
    [
      'Google, which counts thoughts separately from the reply',
      'readGoogleUsage',
      '{"promptTokenCount":900,"cachedContentTokenCount":700,"candidatesTokenCount":20,"thoughtsTokenCount":80}',
      { promptTokens: 900, completionTokens: 100, cacheReadTokens: 700, reasoningTokens: 80 },
    ],
    [
      'DeepSeek',
      'readOpenaiUsage',
      '{"prompt_tokens":100,"completion_tokens":5,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}',
      { promptTokens: 100, completionTokens: 5, cacheReadTokens: 64 },
    ],
    [
      'Moonshot',
      'readOpenaiUsage',
      '{"prompt_tokens":100,"completion_tokens":5,"cached_tokens":64}',
      { promptTokens: 100, completionTokens: 5, cacheReadTokens: 64 },
    ],
    [
      'xAI, which counts reasoning only in the total, and reports the cost',
      'readOpenaiUsage',
      `{"prompt_tokens":100,"completion_tokens":5,"total_tokens":155,"cost_in_usd_ticks":37756000,
        "completion_tokens_details":{"reasoning_tokens":50}}`,
      { promptTokens: 100, completionTokens: 55, reasoningTokens: 50, reportedCostUsd: 37756000 * 1e-10 },
    ],
    [
      'OpenRouter',
      'readOpenaiUsage',
      `{"prompt_tokens":194,"completion_tokens":2,"total_tokens":196,"cost":0.95,"is_byok":false,
        "cost_details":{"upstream_inference_cost":19},
        "prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":100}}`,
      {
        promptTokens: 194,
        completionTokens: 2,
        cacheReadTokens: 0,
        cacheWrite5mTokens: 100,
        reportedCostUsd: 0.95,
      },
    ],
    [
      'OpenRouter with a key of the host behind it',
      'readOpenaiUsage',
      `{"prompt_tokens":4,"completion_tokens":2,"cost":0.95,"is_byok":true,
        "cost_details":{"upstream_inference_cost":19}}`,
      { promptTokens: 4, completionTokens: 2, reportedCostUsd: 19.95 },
    ],
    [
      "a proxy that includes Anthropic's cache counts in the input",
      'readOpenaiUsage',
      `{"prompt_tokens":12307,"completion_tokens":5,"total_tokens":12312,"cache_read_input_tokens":12000,
        "cache_creation_input_tokens":300}`,
      { promptTokens: 12307, completionTokens: 5, cacheReadTokens: 12000, cacheWrite5mTokens: 300 },
    ],
    [
      'a proxy that reports them separately',
      'readOpenaiUsage',
      '{"prompt_tokens":7,"completion_tokens":5,"cache_read_input_tokens":12000,"cache_creation_input_tokens":300}',
      { promptTokens: 12307, completionTokens: 5, cacheReadTokens: 12000, cacheWrite5mTokens: 300 },
    ],
    [
      'a proxy that reports them separately, and counts them in the total',
      'readOpenaiUsage',
      `{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12312,"cache_read_input_tokens":12000,
        "cache_creation_input_tokens":300}`,
      { promptTokens: 12307, completionTokens: 5, cacheReadTokens: 12000, cacheWrite5mTokens: 300 },
    ],
    [
      'a proxy that reports a smaller part separately, and counts it in the total',
      'readOpenaiUsage',
      '{"prompt_tokens":2000,"completion_tokens":5,"total_tokens":3005,"cache_read_input_tokens":1000}',
      { promptTokens: 3000, completionTokens: 5, cacheReadTokens: 1000 },
    ],
    ['a host that writes 12.0', 'readOpenaiUsage', '{"prompt_tokens":12.0}', { promptTokens: 12 }],
  ])('%s', (_host, reader, text, expected) => {
    expect(read(reader, text)).toEqual(usage(expected));
  });
});

describe('inconsistent usage is ignored', () => {
  it.each<[string, Partial<Usage>]>([
    ['{"prompt_tokens":-5,"completion_tokens":7}', { completionTokens: 7 }],
    ['{"prompt_tokens":9007199254740992,"completion_tokens":7}', { completionTokens: 7 }],
    ['{"prompt_tokens":2147483647,"completion_tokens":7}', { completionTokens: 7 }],
    ['{"prompt_tokens":"12","completion_tokens":7}', { completionTokens: 7 }],
    ['{"prompt_tokens":1e999,"completion_tokens":1.5}', {}],
    ['{"prompt_tokens":{"toString":1},"completion_tokens":[7]}', {}],
    ['"many"', {}],
    ['null', {}],
    [
      '{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":900}}',
      { promptTokens: 100, completionTokens: 7, cacheReadTokens: 100 },
    ],
    [
      '{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":-1}}',
      { promptTokens: 100, completionTokens: 7 },
    ],
    [
      '{"prompt_tokens":100,"completion_tokens":7,"completion_tokens_details":{"reasoning_tokens":900}}',
      { promptTokens: 100, completionTokens: 7, reasoningTokens: 7 },
    ],
    [
      '{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"cache_read_input_tokens":900}',
      { promptTokens: 100, completionTokens: 7, cacheReadTokens: 100 },
    ],
    ['{"prompt_tokens":1,"completion_tokens":2,"cost":-1}', { promptTokens: 1, completionTokens: 2 }],
    ['{"prompt_tokens":1,"completion_tokens":2,"cost":"0.1"}', { promptTokens: 1, completionTokens: 2 }],
    ['{"prompt_tokens":1,"completion_tokens":2,"cost":1e300}', { promptTokens: 1, completionTokens: 2 }],
    ['{"prompt_tokens_details":{"cached_tokens":900}}', {}],
  ])('%s', (text, expected) => {
    expect(read('readOpenaiUsage', text)).toEqual(usage(expected));
  });

  it('a cost is never negative and no part exceeds its total, whatever a host sends', () => {
    const value = fc.oneof(
      fc.integer({ min: -10, max: 2000 }),
      fc.constantFrom<Json>(null, '7', 2 ** 53, 1e300, -0.5, [], true, {}),
    );
    const names = `prompt_tokens completion_tokens total_tokens input_tokens output_tokens cached_tokens cost is_byok
      cost_in_usd_ticks prompt_cache_hit_tokens cache_read_input_tokens cache_creation_input_tokens promptTokenCount
      cachedContentTokenCount candidatesTokenCount thoughtsTokenCount toolUsePromptTokenCount`.split(/\s+/);
    const details = fc.dictionary(
      fc.constantFrom(
        'cached_tokens',
        'cache_write_tokens',
        'reasoning_tokens',
        'ephemeral_5m_input_tokens',
        'ephemeral_1h_input_tokens',
        'upstream_inference_cost',
      ),
      value,
    );
    const places = `prompt_tokens_details completion_tokens_details input_tokens_details output_tokens_details
      cache_creation cost_details`.split(/\s+/);
    const given = fc
      .tuple(fc.dictionary(fc.constantFrom(...names), value), fc.dictionary(fc.constantFrom(...places), details))
      .map(([counts, parts]) => ({ ...counts, ...parts }) as Json);
    const prices = {
      inputCostPerMtok: 3,
      outputCostPerMtok: 15,
      cacheReadCostPerMtok: 0.3,
      cacheWrite5mCostPerMtok: 3.75,
      cacheWrite1hCostPerMtok: 6,
    };
    fc.assert(
      fc.property(given, fc.constantFrom(...Object.values(READERS)), (sent, reader) => {
        const told = reader(sent);
        const parts = [told.cacheReadTokens, told.cacheWrite5mTokens, told.cacheWrite1hTokens];
        expect(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)).toBeLessThanOrEqual(told.promptTokens ?? 0);
        expect(told.reasoningTokens ?? 0).toBeLessThanOrEqual(told.completionTokens ?? 0);
        for (const figure of Object.values(told)) expect(figure === null || figure >= 0).toBe(true);
        expect(costOf(told, prices) ?? 0).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });
});
