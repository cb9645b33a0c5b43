import { RESERVOIR, Reservoir, byRandomRank } from './reservoir.js';
import { LATENCY_BINS, OVERALL_BINS, overallBin } from './bins.js';
import { ConfusionCounts } from './confusion-counts.js';
import { FailureCounts } from './failure-counts.js';
import { firstWrongArgument } from './first-wrong-argument.js';

const next = (value: number): number => {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, value);
  bytes.setBigInt64(0, bytes.getBigInt64(0) + 1n);
  return bytes.getFloat64(0);
};

it('bins of scores leave no gaps', () => {
  expect(OVERALL_BINS).toHaveLength(12);
  for (const [index, { from, to }] of OVERALL_BINS.entries()) {
    expect([overallBin(from), overallBin(to)]).toEqual([index, index]);
    if (index > 0) expect(next(OVERALL_BINS[index - 1]!.to)).toBe(from);
  }
  expect(OVERALL_BINS.at(-1)).toEqual({ from: 1, to: 1 });
});

it('bins of latencies are contiguous, from 0 ms to the largest stored number', () => {
  expect(LATENCY_BINS[0]!.from).toBe(0);
  expect(LATENCY_BINS.at(-1)!.to).toBe(2 ** 31 - 1);
  for (const [index, { from, to }] of LATENCY_BINS.entries()) {
    expect(to).toBeGreaterThanOrEqual(from);
    if (index > 0) expect(from).toBe(LATENCY_BINS[index - 1]!.to + 1);
  }
});

describe('the first wrong argument', () => {
  const check = (path: string, verdict: string, expected: unknown = 'x') => ({
    path,
    rule: 'exact',
    expected,
    verdict,
  });
  const evidence = (...pairs: object[][]): string =>
    JSON.stringify({ pairs: pairs.map((checks) => ({ called: 0, param_score: 0.5, arguments: checks })), missing: [] });

  it('is found anywhere, but not in text by users or models', () => {
    expect(firstWrongArgument(evidence([]))).toBeNull();
    expect(firstWrongArgument(evidence([check('/a', 'match')], [check('/b', 'skipped')]))).toBeNull();
    expect(
      firstWrongArgument(evidence([check('/a', 'match')], [check('/b\\"', 'missing'), check('/c', 'mismatch')])),
    ).toBe('/b\\"');
    const lookalike = { pairs: [{ arguments: [check('/no', 'missing')] }], path: '/no', verdict: 'missing' };
    expect(firstWrongArgument(evidence([check('/a', 'match', lookalike), check('/é\n"}]', 'mismatch')]))).toBe(
      '/é\n"}]',
    );
    expect(firstWrongArgument(evidence([check('/a', 'match', JSON.stringify(lookalike))]))).toBeNull();
  });

  it('is missing when the text breaks off before it', () => {
    const whole = evidence([check('/first', 'match', '\\"}]'), check('/second', 'mismatch', [1, '}"'])]);
    const found = Array.from({ length: whole.length }, (_, n) => firstWrongArgument(whole.slice(0, n)));
    const first = found.findIndex((path) => path !== null);
    expect(first).toBe(whole.indexOf('"mismatch"') + '"mismatch"'.length);
    expect(new Set(found.slice(first))).toEqual(new Set(['/second']));
  });

  it('is found in linear time, however deep and long the text', () => {
    for (const text of ['['.repeat(4000), '"\\'.repeat(2000), '{"a":'.repeat(800), '"'.repeat(4001)])
      expect(firstWrongArgument(text)).toBeNull();
  });
});

describe('sampled results', () => {
  const places = Array.from({ length: 5000 }, (_, n) => ({ target: n % 7, position: n, sample: n % 3 }));

  it('are the same in any order of arrival, and never more than the sample size', () => {
    const [one, other] = [new Reservoir(), new Reservoir()];
    for (const place of places) one.add(place);
    for (const place of places.toReversed()) other.add(place);
    expect(one.places).toHaveLength(RESERVOIR);
    expect(one.places).toEqual(other.places);
  });

  it('are equally likely', () => {
    // 20 of 1,000 places are drawn for each of 500 seeds: each place about 10 times.
    const some = places.slice(0, 1000);
    const drawn = new Array<number>(some.length).fill(0);
    for (let seed = 0; seed < 500; seed++)
      for (const { position } of byRandomRank(some, seed).slice(0, 20)) drawn[position]!++;
    const chiSquare = drawn.reduce((sum, n) => sum + (n - 10) ** 2 / 10, 0);
    // 999 degrees of freedom: a standard deviation of 45.
    expect(Math.abs(chiSquare - 999)).toBeLessThan(225);
  });

  it('are in a different order with another seed', () => {
    const ofSeed = (seed: number) => byRandomRank(places.slice(0, 50), seed).map(({ position }) => position);
    expect(ofSeed(1)).toEqual(ofSeed(1));
    expect(ofSeed(1)).not.toEqual(ofSeed(2));
    expect(new Set(ofSeed(1)).size).toBe(50);
  });
});

it('groups beyond the limit are counted together, whatever their names', () => {
  const counts = new FailureCounts(1, 300);
  const kind = (n: number) => ({
    error_type: 'wrong_argument' as const,
    expected_tool: 'a',
    called_tool: 'a',
    argument: `/${n}`,
  });
  const place = (n: number) => ({ target: 0, position: n, sample: 0 });
  for (let n = 0; n < 2000; n++) {
    counts.add(kind(n), place(n));
    counts.add(kind(-1 - (n % 50)), place(n));
  }
  const { groups, others } = counts.finish();
  expect(groups).toHaveLength(100);
  expect(groups.slice(0, 50).map(({ count }) => count)).toEqual(Array.from({ length: 50 }, () => 40));
  const inGroups = groups.reduce((sum, { count }) => sum + count, 0);
  expect(inGroups + others.wrong_argument!.results).toBe(4000);
});

it('the confusion matrix has the forty most frequent tools, and one row for all others', () => {
  const rows = Array.from({ length: 40 }, (_, n) => `tool ${n}`);
  const counts = new ConfusionCounts(2, rows, 60);
  for (let n = 0; n < 100; n++) counts.add([`tool ${n}`], [`tool ${n}`], n % 2, 200 - n);
  const { expected, called, cells, other_expected, other_called } = counts.matrix();
  expect([expected, called, other_expected, other_called]).toEqual([rows, rows, 60, 60]);
  expect(cells.map((line) => line.length)).toEqual(Array.from({ length: 41 }, () => 41));
  expect([cells[0]![0], cells[39]![39], cells[40]![40]]).toEqual([200, 161, (160 + 101) * 30]);
  expect(counts.matrix(1).cells[0]![0]).toBe(0);
});
