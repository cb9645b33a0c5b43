import { newModel } from './provider-value.js';
import { withPastedPrices } from './pasted-prices.js';

const models = [newModel('gpt-5'), { ...newModel('mini'), output_cost_per_mtok: 9 }];
const pricesIn = (text: string) => {
  const { models: all, ...pasted } = withPastedPrices(models, text);
  const shown = all.map((model) => [model.id, model.input_cost_per_mtok, model.output_cost_per_mtok]);
  return { ...pasted, shown: JSON.parse(JSON.stringify(shown)) as unknown };
};

it.each([
  ['tabs, as of a spreadsheet', 'gpt-5\t1.25\t10\nmini\t0.25\t2'],
  ['commas', 'gpt-5,1.25,10\nmini, $0.25, $2,'],
  ['semicolons, quotes and a fourth price', '"gpt-5";1.25;10;0.125\r\n\r\nmini;.25;2'],
])('prices are read from lines with %s', (_what, text) => {
  expect(pricesIn(text)).toEqual({
    ...{ changed: 2, added: 0, unread: [] },
    shown: [
      ['gpt-5', 1.25, 10],
      ['mini', 0.25, 2],
    ],
  });
});

it('a model that is not there is added, and a price that is left out stays', () => {
  expect(pricesIn('new\t1\nmini\t0.3')).toEqual({
    ...{ changed: 1, added: 1, unread: [] },
    shown: [
      ['gpt-5', null, null],
      ['mini', 0.3, 9],
      ['new', 1, null],
    ],
  });
});

it('lines that are not prices are named, and change nothing', () => {
  expect(pricesIn('Model\tInput\tOutput\ngpt-5\tfree\t1\nmini')).toMatchObject({
    ...{ changed: 0, added: 0 },
    unread: ['Model\tInput\tOutput', 'gpt-5\tfree\t1', 'mini'],
  });
});
