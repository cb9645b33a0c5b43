import type { SpendingGroup, SpendingReport } from '#lib/contracts/spending';
import { groupsOf, stacked, withOthers } from './spending-groups.js';

const spent = (more: Partial<SpendingGroup>): SpendingGroup => ({
  ...{ cost_usd: 1, requests: 2, results: 1, prompt_tokens: 10, completion_tokens: 1, cache_read_tokens: 5 },
  ...{ cache_write_5m_tokens: 0, cache_write_1h_tokens: 0, reasoning_tokens: 0, cache_hit_rate: 0.5 },
  ...more,
});
const reportOf = (items: SpendingGroup[]): SpendingReport => ({
  ...{ from: '2026-02-27', to: '2026-03-02', by: ['day', 'model'], total: spent({}), items },
});

it('groups are summed over days, most expensive first, and same-named groups stay apart', () => {
  const one = { id: '1', name: 'Twins', deleted: false };
  const groups = groupsOf(
    reportOf([
      spent({ day: '2026-02-27', suite: one }),
      spent({ day: '2026-02-27', suite: { ...one, id: '2', deleted: true }, cost_usd: 1.5 }),
      spent({ day: '2026-02-28', suite: one }),
      spent({ day: '2026-02-28', suite: null, cost_usd: 0 }),
    ]),
    'suite',
  );
  expect(groups.map(({ name, note, cost_usd, requests }) => [name, note, cost_usd, requests])).toEqual([
    ['Twins', undefined, 2, 4],
    ['Twins', 'deleted', 1.5, 2],
    ['no suite', 'try-outs and embeddings', 0, 2],
  ]);
});

it('groups after the eighth are merged into others, and every day of the span is present', () => {
  const models = Array.from({ length: 12 }, (_, n) => spent({ day: '2026-03-01', model: `m::${n}`, cost_usd: 12 - n }));
  const { drawn, days } = stacked(reportOf([...models, spent({ day: '2026-03-02', model: 'm::11' })]), 'model');
  expect(drawn.map(({ name, cost_usd }) => [name, cost_usd]).slice(7)).toEqual([
    ['m::7', 5],
    ['4 others', 4 + 3 + 2 + 1 + 1],
  ]);
  expect(days).toEqual([
    { day: '2026-02-27', costs: Array(9).fill(0) },
    { day: '2026-02-28', costs: Array(9).fill(0) },
    { day: '2026-03-01', costs: [12, 11, 10, 9, 8, 7, 6, 5, 10] },
    { day: '2026-03-02', costs: [0, 0, 0, 0, 0, 0, 0, 0, 1] },
  ]);
});

it('a model named like the merged group or a prototype key is still a model', () => {
  const names = ['others', '__proto__', 'nobody', 'constructor'];
  const { drawn, days } = stacked(reportOf(names.map((model) => spent({ day: '2026-03-01', model }))), 'model');
  expect(drawn.map(({ name }) => name)).toEqual(names);
  expect(days[2]!.costs).toEqual([1, 1, 1, 1]);
  expect(withOthers([], 8)).toEqual([]);
});
