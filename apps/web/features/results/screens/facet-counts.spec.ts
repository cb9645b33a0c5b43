import type { RunFacets } from '#lib/contracts/run-facets';
import { binsOf, filteredTotal, modelsOf, valuesOf } from './facet-counts.js';

type Counts = [number, number, number];
const value = (name: string, a: Counts, b: Counts) => ({ value: name, by_target: [a, b] });
const bin = (from: number, to: number, a: Counts, b: Counts) => ({ from, to, by_target: [a, b] });

const facets: RunFacets = {
  targets: ['a', 'b'],
  totals: [
    [6, 3, 1],
    [2, 8, 0],
  ],
  error_type: {
    values: [value('none', [6, 0, 0], [2, 0, 0]), value('no_call', [0, 3, 0], [0, 8, 0])],
    others: 0,
  },
  category: { values: [value('easy', [4, 0, 0], [2, 2, 0]), value('hard', [2, 3, 1], [0, 6, 0])], others: 3 },
  expected_tool: { values: [value('(none)', [1, 0, 0], [1, 0, 0])], others: 0 },
  called_tool: { values: [], others: 0 },
  format: { values: [value('native', [6, 0, 0], [2, 1, 0])], others: 0 },
  syntax: { values: [], others: 0 },
  missed: { values: [], others: 0 },
  tag: { values: [value('x', [1, 1, 0], [0, 0, 0]), value('y', [1, 1, 0], [1, 0, 0])], others: 0 },
  latency_ms: [bin(0, 9, [0, 0, 0], [0, 0, 0]), bin(10, 99, [6, 3, 0], [2, 8, 0]), bin(100, 999, [0, 0, 0], [0, 0, 0])],
  overall: [
    bin(0, 0, [0, 3, 0], [0, 8, 0]),
    bin(5e-324, 0.09999999999999999, [0, 0, 0], [0, 0, 0]),
    bin(1, 1, [6, 0, 0], [2, 0, 0]),
  ],
  counted_at: '2026-01-01T00:00:00Z',
};

const counts = ({ options }: { options: { value: string; count?: number }[] }) =>
  options.map(({ value: name, count }) => [name, count]);

describe('the counts of a facet', () => {
  it('cover the whole run when nothing is chosen', () => {
    const { isFiltered, others, ...facet } = valuesOf(facets, {}, 'category');
    expect([counts(facet), isFiltered, others]).toEqual([
      [
        ['hard', 12],
        ['easy', 8],
      ],
      true,
      3,
    ]);
  });

  it('are known for chosen models and verdicts', () => {
    expect(counts(valuesOf(facets, { model: ['b'] }, 'category'))).toEqual([
      ['hard', 6],
      ['easy', 4],
    ]);
    expect(counts(valuesOf(facets, { model: ['a'], passed: false }, 'category'))).toEqual([
      ['hard', 4],
      ['easy', 0],
    ]);
    expect(counts(valuesOf(facets, { passed: true, category: ['easy'] }, 'category'))).toEqual([
      ['easy', 6],
      ['hard', 2],
    ]);
  });

  it('cover the whole run, and say so, when another facet is chosen', () => {
    const facet = valuesOf(facets, { type: ['no_call'], model: ['a'] }, 'category');
    expect([counts(facet), facet.isFiltered]).toEqual([
      [
        ['hard', 12],
        ['easy', 8],
      ],
      false,
    ]);
    expect(valuesOf(facets, { case: 'x' }, 'type').isFiltered).toBe(false);
  });

  it('of models are known for one other chosen facet', () => {
    expect(counts(modelsOf(facets, { category: ['hard'], passed: false }))).toEqual([
      ['a', 4],
      ['b', 6],
    ]);
    expect(counts(modelsOf(facets, { latency: '10-99' }))).toEqual([
      ['a', 9],
      ['b', 10],
    ]);
    const unknown = modelsOf(facets, { category: ['hard'], format: ['native'] });
    expect([counts(unknown), unknown.isFiltered]).toEqual([
      [
        ['a', 10],
        ['b', 10],
      ],
      false,
    ]);
  });

  it('show errors, formats and missing tools in words', () => {
    const labels = (['type', 'tool'] as const).map((key) =>
      valuesOf(facets, {}, key).options.map(({ label }) => label),
    );
    expect(labels).toEqual([['no call', 'no error'], ['no call']]);
  });

  it('of bins omit the empty ends', () => {
    expect(binsOf(facets, {}, 'latency').options).toEqual([{ value: '10-99', label: '10 ms to 99 ms', count: 19 }]);
    expect(binsOf(facets, {}, 'score').options.map(({ label, count }) => [label, count])).toEqual([
      ['0 %', 11],
      ['above 0 to 10 %', 0],
      ['100 %', 8],
    ]);
  });
});

it.each([
  [{}, 20],
  [{ model: ['a'], passed: false }, 4],
  [{ type: ['none' as const, 'no_call' as const] }, 19],
  [{ score: '0-0', model: ['b'] }, 8],
  [{ score: '0-0.5' }, undefined],
  [{ category: ['rare'] }, undefined],
  [{ tag: ['x', 'y'] }, undefined],
  [{ tag: ['x'] }, 2],
  [{ tag: ['x'], format: ['native' as const] }, undefined],
])('the filter %j leaves %p results', (search, total) => {
  expect(filteredTotal(facets, search)).toBe(total);
});
