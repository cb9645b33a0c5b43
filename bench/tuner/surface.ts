import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import type { Search } from '#lib/param-tune/search/search';
import { strategyOf } from '#lib/param-tune/search/search';
import type { SearchSpace, Strategy, Trial } from '#lib/param-tune/search/strategy';

/** The search space: the number of values of each of four parameters, on this many cases. */
const LEVELS = [11, 4, 3, 2];
export const CASES = 200;
export const ARMS = LEVELS.reduce((product, count) => product * count, 1);

/** The effect of parameters on the probability that a model passes a case, in logits. */
const MAIN_EFFECTS = 0.35;
const DIFFICULTY = 1.3;
/** About 70 % of cases pass. */
const CENTRE = 1;

/** A model with a known pass probability for each arm and case. Arm 0 is the base. */
export interface Surface extends SearchSpace {
  /** The true mean of each arm over its cases. */
  truth: Float64Array;
  /** The scores of a trial: each sample passes or fails at random, but equally in every search. */
  measure(trial: Trial): Float64Array;
}

/** @param interactions the standard deviation of the effects of pairs of values, in logits */
export function surfaceOf(interactions: number, seed: number): Surface {
  const random = seededRandom(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const effects = LEVELS.map((count) => Array.from({ length: count }, () => MAIN_EFFECTS * normal()));
  const pairs = LEVELS.flatMap((a, p) =>
    LEVELS.slice(p + 1).map((b, q) => ({
      p,
      q: p + 1 + q,
      effects: Array.from({ length: a * b }, () => interactions * normal()),
    })),
  );
  const hard = Float64Array.from({ length: CASES }, () => DIFFICULTY * normal());
  const arms = LEVELS.reduce<number[][]>(
    (made, count) => made.flatMap((arm) => Array.from({ length: count }, (_, level) => [...arm, level])),
    [[]],
  );
  const logits = arms.map((arm) => {
    const main = arm.reduce((sum, level, p) => sum + effects[p]![level]!, 0);
    return pairs.reduce((sum, { p, q, effects: of }) => sum + of[arm[p]! * LEVELS[q]! + arm[q]!]!, main + CENTRE);
  });
  const chance = (arm: number, index: number): number => 1 / (1 + Math.exp(-logits[arm]! - hard[index]!));
  const truth = Float64Array.from(arms, (_, arm) => hard.reduce((sum, _h, i) => sum + chance(arm, i), 0) / CASES);
  const measure = ({ arm, from, to, firstSample, samples }: Trial): Float64Array =>
    Float64Array.from({ length: to - from }, (_, index) => {
      let passed = 0;
      for (let n = 0; n < samples; n++)
        if (drawOf(seed, arm, from + index, firstSample + n) < chance(arm, from + index)) passed++;
      return passed / samples;
    });
  return { arms, base: 0, cases: CASES, samples: 1, seed, truth, measure };
}

/** A number in 0..1 for each sample of each case of each arm. */
const drawOf = (...numbers: number[]): number => {
  const mixed = numbers.reduce((hash, number) => Math.imul(hash ^ number, 0x9e3779b1) ^ (hash >>> 15), 0x85ebca6b);
  return seededRandom(mixed)();
};

/** Runs a search to its end. */
function search(surface: Surface, strategy: Strategy) {
  let items = 0;
  for (let trials = strategy.propose(); trials.length > 0; trials = strategy.propose()) {
    items += trials.reduce((sum, { from, to, samples }) => sum + (to - from) * samples, 0);
    strategy.observe(trials.map((trial) => surface.measure(trial)));
  }
  const { finalists, ranking } = strategy.finish();
  const truth = surface.truth[finalists[0]!]!;
  const shown = ranking.find(({ arm }) => arm === finalists[0])!.mean!;
  return { items, loss: Math.max(...surface.truth) - truth, flattered: shown - truth };
}

/** A true loss of at most this much is near the best. */
const NEAR = 0.01;

/** A search strategy, averaged over as many surfaces as there are seeds. */
export function searchMany(way: (space: SearchSpace) => Search, interactions: number, seeds: number) {
  const found = Array.from({ length: seeds }, (_, seed) => {
    const surface = surfaceOf(interactions, seed + 1);
    return search(surface, strategyOf(way(surface)));
  });
  const mean = (of: (one: (typeof found)[number]) => number): number =>
    found.reduce((sum, one) => sum + of(one), 0) / seeds;
  return {
    /** Requests, as a share of one for each arm and case. */
    requests: mean(({ items }) => items) / (ARMS * CASES),
    /** The true loss of the apparently best arm against the best one. */
    loss: mean(({ loss }) => loss),
    /** The share of surfaces on which it is near the best. */
    near: mean(({ loss }) => Number(loss <= NEAR)),
    /** The measured mean of the chosen arm minus its true mean. */
    flattered: mean((one) => one.flattered),
  };
}
