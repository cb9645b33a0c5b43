import type { ApiClient } from '#lib/client/api-client';
import { ApiError } from '#lib/client/api-client';
import { ModelInput } from '#lib/contracts/provider';
import { readKnownPrices as builtIn } from '#lib/providers/prices/read-prices';
import { createProgram } from '../program.js';
import { fillPrices, readKnownPrices } from './fill-prices.js';
import { modelTable } from '../output/provider-lines.js';

const OPENAI = 'https://api.openai.com/v1';
const known = { ...builtIn(), as_of: '2026-11-17' };
const filled = (models: object[], url = OPENAI) => fillPrices(models, known, url);

describe('models of a new provider', () => {
  it('get the prices of the table, and the output names its date', () => {
    const { models, lines } = filled([{ id: 'gpt-5-mini' }, { id: 'gpt-6-sol', unsupported_params: ['seed'] }]);
    expect(models.map((model) => ModelInput.parse(model))).toMatchObject([
      { input_cost_per_mtok: 0.25, output_cost_per_mtok: 2, cache_read_cost_per_mtok: 0.025 },
      { input_cost_per_mtok: 2, cache_write_5m_cost_per_mtok: 2.5, unsupported_params: ['seed'] },
    ]);
    expect(lines).toEqual([
      'Prices from the table of 2026-11-17, in US dollars per million tokens:',
      '  gpt-5-mini: $0.25 in, $2 out, $0.025 from the cache.',
      '  gpt-6-sol: $2 in, $10 out, $0.2 from the cache, $2.5 into it for 5 minutes. Requests above 272,000 tokens ' +
        'cost more, which is not counted.',
      expect.stringMatching(/^Others: --model .*\. None: --no-prices\.$/),
    ]);
    expect(fillPrices([{ id: 'gpt-5' }], { ...known, source: 'file' }, OPENAI).lines[0]).toMatch(/a file of your/);
  });

  it.each([
    { input_cost_per_mtok: 3 },
    { output_cost_per_mtok: 0 },
    { cache_read_cost_per_mtok: 1 },
    { cache_write_1h_cost_per_mtok: 1 },
    { input_cost_per_mtok: null, output_cost_per_mtok: null },
  ])('keep the prices that are given, without any from the table: %j', (given) => {
    expect(filled([{ id: 'gpt-5-mini', ...given }])).toEqual({ models: [{ id: 'gpt-5-mini', ...given }], lines: [] });
  });

  it('that are not in the table have no price, and one line says so', () => {
    expect(filled([{ id: 'gpt-99' }])).toEqual({
      models: [{ id: 'gpt-99' }],
      lines: [
        'No price is known for gpt-99, so no cost is counted. Set it: --model ' +
          `'{"id":"gpt-99","input_cost_per_mtok":1,"output_cost_per_mtok":2}'`,
      ],
    });
    const many = Array.from({ length: 1000 }, (_, index) => ({ id: `m${index}` }));
    expect(filled(many).lines).toEqual([expect.stringMatching(/ for m0, m1, m2, m3, m4 and 995 more, so /)]);
    expect(filled([{ id: 'gpt-5' }], 'http://127.0.0.1:11434/v1').lines).toEqual([expect.stringMatching(/^No price/)]);
  });

  it.each([
    [{ id: '__proto__' }],
    [{ id: 'constructor' }],
    [{ id: `${'x'.repeat(1e5)}'; rm -rf` }],
    [{ id: 7 }],
    [{}],
    [{ id: null }],
    [{ id: '' }],
  ])('stay unchanged with an unusual id: %#', (model) => {
    const { models, lines } = filled([model]);
    expect(models).toEqual([model]);
    expect(lines.join('').length).toBeLessThan(300);
  });

  it('stay unchanged if the server has no table of prices; a server error is reported', async () => {
    const failing = (status: number) => {
      const problem = { type: '', title: '', status, detail: 'no' };
      return { call: () => Promise.reject(new ApiError(problem)) } as unknown as ApiClient;
    };
    expect(await readKnownPrices(failing(404))).toBeUndefined();
    await expect(readKnownPrices(failing(503))).rejects.toThrow('no');
  });

  it('stay unchanged with --no-prices', async () => {
    const providers = (await createProgram('0')).commands.find((one) => one.name() === 'providers')!;
    const add = providers.commands.find((one) => one.name() === 'add')!;
    add.parseOptions(['--no-prices']);
    expect(add.opts()).toMatchObject({ prices: false });
  });
});

it('the list of models has cache prices only if a model has them', () => {
  const model = { ...ModelInput.parse({ id: 'm' }), name: 'm', provider_key: 'p', learned: [] };
  const priced = { ...model, input_cost_per_mtok: 0.1 + 0.2, output_cost_per_mtok: 15 };
  expect(modelTable([model, priced])).toEqual([
    'model  input $/M tokens  output $/M tokens  refused parameters',
    'p::m   -                 -',
    'p::m   $0.3              $15',
  ]);
  expect(modelTable([model, { ...priced, cache_read_cost_per_mtok: 0 }])).toEqual([
    'model  input $/M tokens  output $/M tokens  cache read $/M  refused parameters',
    'p::m   -                 -                  -',
    'p::m   $0.3              $15                $0',
  ]);
});
