import { comparePairs, ranksOf, type RankedTarget } from './rank-targets.js';

const MAX_ERRORED = 0.05;
const target = (scores: number[], erroredShare = 0): RankedTarget => ({
  scores: Float64Array.from(scores),
  erroredShare,
});
const ranks = (targets: RankedTarget[]) => ranksOf(targets, [...comparePairs(targets)], MAX_ERRORED).ranks;
/** `cases` scores, the first `right` of them right. */
const rightOf = (cases: number, right: number): number[] => Array.from({ length: cases }, (_, n) => Number(n < right));

it('a single model has the first rank', () => {
  expect(ranks([target(rightOf(20, 3))])).toEqual([[1, 1]]);
  expect(ranks([])).toEqual([]);
});

it('models that are far apart have one rank each, in any order', () => {
  const [good, fair, bad] = [90, 50, 10].map((right) => target(rightOf(100, right)));
  expect(ranks([good!, fair!, bad!])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  expect(ranks([bad!, good!, fair!])).toEqual([
    [3, 3],
    [1, 1],
    [2, 2],
  ]);
});

it('equal models share all ranks, between models that differ from them', () => {
  const equal = () => target(rightOf(100, 50));
  expect(ranks([target(rightOf(100, 80)), equal(), equal(), target(rightOf(100, 20))])).toEqual([
    [1, 1],
    [2, 3],
    [2, 3],
    [4, 4],
  ]);
});

it('a model between two distinguishable models may be distinguishable from neither', () => {
  const close = [60, 55, 50].map((right) => target(rightOf(100, right)));
  expect(ranks(close)).toEqual([
    [1, 2],
    [1, 3],
    [2, 3],
  ]);
});

it('compares over the cases scored for both, and needs five of them', () => {
  const half = (from: number) => target(rightOf(20, 20).map((score, n) => (n < 10 === from < 10 ? score : NaN)));
  expect([...comparePairs([half(0), half(10)])]).toMatchObject([{ cases: 0, difference: 0 }]);
  const few = [target([1, 1, 1, 1, ...Array<number>(50).fill(NaN)]), target(rightOf(54, 0))];
  expect([...comparePairs(few)]).toMatchObject([{ cases: 4, difference: -1 }]);
  expect(ranks(few)).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

it('a model with many errored results is not distinguished from any other', () => {
  expect(ranks([target(rightOf(100, 90)), target(rightOf(100, 10), 0.06)])).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

/** Mulberry32: a deterministic sequence. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

it.each([
  ['pass or fail', (chance: number, random: () => number) => Number(random() < chance)],
  ['have scores between', (chance: number, random: () => number) => (chance + random()) / 2],
])('equal models whose cases %s are called different in at most 5 of 100 runs', (_, score) => {
  const source = numbers(7);
  const random = (): number => source.next().value;
  const [RUNS, MODELS, CASES] = [600, 5, 40];
  let told = 0;
  for (let run = 0; run < RUNS; run++) {
    const difficulty = Array.from({ length: CASES }, random);
    const targets = Array.from({ length: MODELS }, () => target(difficulty.map((chance) => score(chance, random))));
    if (ranks(targets).some(([from, to]) => from > 1 || to < MODELS)) told++;
  }
  // 5 % plus three standard errors of such a share.
  expect(told / RUNS).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / RUNS));
});
