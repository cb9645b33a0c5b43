import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import fc from '../../test/fast-check.js';
import { mergeCases, proposeMerge, type Lineage } from './lineage.js';
import { minibatchOf } from './minibatch.js';
import { drawParent, frontOf } from './pareto.js';

const rows = (...scores: number[][]): Float64Array[] => scores.map((row) => Float64Array.from(row));

describe('the front', () => {
  it('contains each candidate that is the only best on some case, with its wins', () => {
    expect(frontOf(rows([1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0.5, 1], [0, 0, 0.4, 0.9]))).toEqual([
      { index: 0, wins: 2 },
      { index: 1, wins: 2 },
      { index: 2, wins: 2 },
    ]);
  });

  it('excludes a candidate whose cases others cover together, although none of them beats it', () => {
    expect(frontOf(rows([1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]))).toEqual([
      { index: 1, wins: 2 },
      { index: 2, wins: 2 },
    ]);
  });

  it('of candidates that cover each other, excludes the worst mean first, and of equals the later one', () => {
    expect(frontOf(rows([1, 0.2], [1, 0.5])).map(({ index }) => index)).toEqual([1]);
    expect(frontOf(rows([1, 0], [1, 0], [1, 0]))).toEqual([{ index: 0, wins: 2 }]);
    expect(frontOf(rows([0.3, 1], [0.1 + 0.2, 1]))).toEqual([{ index: 0, wins: 2 }]);
  });

  it('is empty without candidates or cases', () => {
    expect(frontOf([])).toEqual([]);
    expect(frontOf(rows([], []))).toEqual([]);
  });

  it('covers the best of every case, and needs each of its members', () => {
    const score = fc.constantFrom(0, 0.25, 0.5, 1);
    const table = fc
      .integer({ min: 1, max: 8 })
      .chain((cases) =>
        fc.array(fc.array(score, { minLength: cases, maxLength: cases }), { minLength: 1, maxLength: 8 }),
      );
    fc.assert(
      fc.property(table, (scores) => {
        const front = frontOf(rows(...scores)).map(({ index }) => index);
        const bestOf = (members: number[]): number[] =>
          scores[0]!.map((_, n) => Math.max(...members.map((index) => scores[index]![n]!)));
        const best = bestOf([...scores.keys()]);
        expect(bestOf(front)).toEqual(best);
        for (const member of front) expect(bestOf(front.filter((index) => index !== member))).not.toEqual(best);
      }),
    );
  });

  it('chooses parents in proportion to wins', () => {
    const front = [
      { index: 3, wins: 1 },
      { index: 5, wins: 3 },
    ];
    expect([0, 0.249, 0.25, 0.999].map((draw) => drawParent(front, draw).index)).toEqual([3, 3, 5, 5]);
    expect(drawParent(front, 1).index).toBe(5);
  });
});

describe('a minibatch', () => {
  const cases = Array.from({ length: 22 }, (_, n) => 100 + n);
  const batch = (n: number, more: object = {}): number[] =>
    minibatchOf(cases, n, { size: 4, seed: 1, failing: () => true, ...more });
  const epoch = (from: number): number[] => [0, 1, 2, 3, 4, 5].flatMap((n) => batch(from + n));

  it('has other cases than the previous ones until all were used; then all again in another order', () => {
    expect(new Set(epoch(0))).toEqual(new Set(cases));
    expect(new Set(epoch(0).slice(0, 20)).size).toBe(20);
    expect(new Set(epoch(6))).toEqual(new Set(cases));
    expect(epoch(6)).not.toEqual(epoch(0));
    expect(batch(5)).toEqual([...batch(5).slice(0, 2), ...batch(0).slice(0, 2)]);
  });

  it('depends only on the seed', () => {
    expect(batch(3)).toEqual(batch(3));
    expect(epoch(0)).not.toEqual([0, 1, 2, 3, 4, 5].flatMap((n) => batch(n, { seed: 2 })));
  });

  it('consists of failing cases by half if there are enough, else of regular ones', () => {
    const failingOf = (...failing: number[]) => ({ failing: (position: number) => failing.includes(position) });
    for (let n = 0; n < 12; n++) {
      const taken = batch(n, failingOf(103, 107, 111));
      expect(taken.filter((position) => [103, 107, 111].includes(position)).length).toBeGreaterThanOrEqual(2);
      expect(new Set(taken).size).toBe(4);
      expect(batch(n, failingOf(103))).toContain(103);
      expect(batch(n, failingOf())).toEqual(batch(n));
    }
  });

  it('has all cases when there are fewer than its size, or none without cases', () => {
    const settings = { size: 4, seed: 1, failing: () => false };
    expect(minibatchOf([7, 8, 9], 5, settings).sort()).toEqual([7, 8, 9]);
    expect(minibatchOf([], 5, settings)).toEqual([]);
  });
});

describe('a merge', () => {
  const base = { system: 's', search: 'q', book: 'b' };
  const candidate = (id: number, parents: number[], components: object, score: number): Lineage => ({
    id,
    parents,
    components: { ...base, ...components },
    score,
  });
  const byId = (...all: Lineage[]) => new Map(all.map((each) => [each.id, each]));
  const NONE: ReadonlySet<string> = new Set();
  const always = (draw: number) => () => draw;
  const root = candidate(0, [], {}, 0.4);
  const left = candidate(1, [0], { system: 's1' }, 0.5);
  const right = candidate(2, [0], { search: 'q2' }, 0.6);

  it('combines the changes of two candidates since their common ancestor', () => {
    expect(proposeMerge([2, 1], byId(root, left, right), NONE, always(0))).toEqual({
      parents: [1, 2],
      components: { system: 's1', search: 'q2', book: 'b' },
    });
  });

  it('takes the text of the better candidate where both changed it, and of the earlier one of equals', () => {
    const other = (score: number) => candidate(3, [0], { system: 's3', search: 'q3' }, score);
    const merged = (score: number) =>
      proposeMerge([2, 3], byId(root, right, other(score)), NONE, always(0))?.components;
    expect(merged(0.5)).toEqual({ system: 's3', search: 'q2', book: 'b' });
    expect(merged(0.6)).toEqual({ system: 's3', search: 'q2', book: 'b' });
    expect(merged(0.7)).toBeUndefined();
  });

  it('uses the latest common ancestor', () => {
    const middle = candidate(1, [0], { book: 'b1' }, 0.45);
    const a = candidate(2, [1], { book: 'b1', system: 's2' }, 0.5);
    const b = candidate(3, [1], { book: 'b', search: 'q3' }, 0.6);
    expect(proposeMerge([2, 3], byId(root, middle, a, b), NONE, always(0))?.components).toEqual({
      system: 's2',
      search: 'q3',
      book: 'b',
    });
  });

  it('needs an ancestor that is better than neither', () => {
    const best = { ...root, score: 0.55 };
    expect(proposeMerge([1, 2], byId(best, left, right), NONE, always(0))).toBeUndefined();
    const elder = candidate(-1, [], {}, 0.5);
    expect(proposeMerge([1, 2], byId(elder, { ...best, parents: [-1] }, left, right), NONE, always(0))).toBeDefined();
    expect(proposeMerge([1, 2], byId(left, right), NONE, always(0))).toBeUndefined();
  });

  it('never combines a candidate with its descendant, or a pair twice', () => {
    const child = candidate(3, [1], { system: 's1', search: 'q3' }, 0.7);
    expect(proposeMerge([1, 3], byId(root, left, child), NONE, always(0))).toBeUndefined();
    expect(proposeMerge([1, 2], byId(root, left, right), new Set(['1+2']), always(0))).toBeUndefined();
    expect(proposeMerge([1], byId(root, left), NONE, always(0))).toBeUndefined();
  });

  it('can combine any pair', () => {
    const third = candidate(3, [0], { book: 'b3' }, 0.5);
    const pairs = [0, 0.4, 0.99].map((draw) =>
      proposeMerge([1, 2, 3], byId(root, left, right, third), NONE, always(draw)),
    );
    expect(pairs.map((pair) => pair?.parents)).toEqual([
      [1, 2],
      [1, 3],
      [2, 3],
    ]);
  });

  it('of a thousand candidates is found quickly', () => {
    const all = Array.from({ length: 1000 }, (_, n) =>
      candidate(n, n < 2 ? [] : [n - 1, n - 2], { system: `s${n}` }, n / 1000),
    );
    expect(
      proposeMerge(
        all.map(({ id }) => id),
        byId(...all),
        NONE,
        always(0.5),
      ),
    ).toBeUndefined();
  });

  it('is tried in turn on cases that one won, that the other won, and ties', () => {
    const [a, b] = [Float64Array.of(1, 1, 1, 0, 0, 0, 1, 0, 1), Float64Array.of(0, 0, 0, 1, 1, 0, 1, 0, 1)];
    const kinds = (cases: number[]) => cases.map((n) => Math.sign(a[n]! - b[n]!));
    for (let seed = 0; seed < 20; seed++) {
      const cases = mergeCases(a, b, seededRandom(seed));
      expect(kinds(cases)).toEqual([1, -1, 0, 1, -1]);
      expect(new Set(cases).size).toBe(5);
      expect(mergeCases(a, b, seededRandom(seed))).toEqual(cases);
    }
    expect(kinds(mergeCases(a, b, seededRandom(1), 8))).toEqual([1, -1, 0, 1, -1, 0, 1, 0]);
    expect(mergeCases(a, a, seededRandom(1), 99).sort()).toEqual([...a.keys()]);
    expect(mergeCases(new Float64Array(), new Float64Array(), seededRandom(1))).toEqual([]);
  });
});
