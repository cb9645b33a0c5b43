import type { SpendingFigures, SpendingGroup } from '#lib/contracts/spending';
import { spendingTable } from './spending-table.js';

const figures: SpendingFigures = {
  cost_usd: 1.25,
  requests: 5,
  results: 4,
  prompt_tokens: 1000,
  completion_tokens: 20,
  cache_read_tokens: 250,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  reasoning_tokens: 0,
  cache_hit_rate: 0.25,
};

it(
  'a table of spending has its groups and a total; long and hostile names stay on their line, ' +
    'and an unknown cost is not $0',
  () => {
    const items: SpendingGroup[] = [
      { ...figures, person: { id: 'p', name: 'Ada\n\u001b[2J' }, suite: { id: 's', name: 'Weather', deleted: true } },
      { ...figures, person: { id: 'gone', name: null }, suite: { id: 's', name: 'x'.repeat(900), deleted: false } },
      { ...figures, person: null, suite: null, cost_usd: 0, cache_hit_rate: null },
    ];
    const lines = spendingTable(['person', 'suite'], items, figures).map((line) => line.split(/ {2,}/));
    const numbers = ['$1.2500', '5', '4', '1000', '20', '25.0 %'];
    expect(lines).toEqual([
      ['person', 'suite', 'cost', 'requests', 'results', 'tokens in', 'tokens out', 'from cache'],
      ['Ada\\u000a\\u001b[2J', 'Weather (deleted)', ...numbers],
      ['gone', `${'x'.repeat(59)}…`, ...numbers],
      ['nobody', 'no suite', '-', ...numbers.slice(1, 5), '-'],
      ['total', ...numbers],
    ]);
  },
);
