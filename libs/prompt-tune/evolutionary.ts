import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { finish } from './finish.js';
import {
  bySelected,
  isFailing,
  keyOf,
  measure,
  record,
  seedAt,
  toMeasure,
  type Answer,
  type Ask,
  type Candidate,
  type Command,
  type Journal,
  type Proposal,
  type Proposals,
  type Scores,
  type Search,
} from './search.js';

/** Cases shown in a request for variants. */
const EXAMPLES = 10;
/** Cases failed by the parent that are shown in a request for a mutation. */
const FAILURES = 4;

/** Texts written by the meta model in one go, each tried on all tuning cases. */
export function* quick(journal: Journal): Search {
  yield* firstGeneration(journal, journal.settings.variants);
  return yield* finish(journal);
}

/**
 * Generations of texts. The best of each generation are the parents of the next: half of the children are mutations,
 * half are crossovers of two parents. The best candidate is kept unchanged.
 */
export function* evolutionary(journal: Journal): Search {
  const { population, generations, selectionRatio } = journal.settings;
  let pool = yield* firstGeneration(journal, population);
  for (let iteration = 2; iteration <= generations && pool.length > 0 && journal.mayAsk(); iteration++) {
    const survivors = bestOf(pool).slice(0, Math.max(1, Math.floor(population * selectionRatio)));
    const children = yield* nextGeneration(journal, iteration, survivors);
    pool = [survivors[0]!, ...children];
    journal.endGeneration(iteration, bestOf(pool));
  }
  return yield* finish(journal);
}

type Generating = Generator<readonly Command[], Candidate[], readonly Answer[]>;

/** @returns the candidates with scores, including the base; empty when the base has none */
function* firstGeneration(journal: Journal, count: number): Generating {
  const { base, settings } = journal;
  const ask: Ask = {
    do: 'ask',
    task: 'variants',
    iteration: 1,
    n: 0,
    parents: [base],
    cases: settings.reflect.slice(0, EXAMPLES),
    components: Object.keys(settings.base),
    tries: new Map(),
    count,
  };
  const ofBase = toMeasure(journal, base, 'tuning', tuningCases(journal));
  const [scores, proposed] = (yield [ofBase, ask]) as [Scores, Proposals];
  record(journal, ofBase, scores);
  accept(journal, [base]);
  if (base.state !== 'accepted') return [];
  const children = yield* bear(journal, [{ kind: 'variant', ask, proposed }]);
  const pool = [base, ...children];
  journal.endGeneration(1, bestOf(pool));
  return pool;
}

function* nextGeneration(journal: Journal, iteration: number, survivors: readonly Candidate[]): Generating {
  const children = journal.settings.population - 1;
  const pairs = survivors.flatMap((a, n) => survivors.slice(n + 1).map((b) => [a, b]));
  const mutations = pairs.length === 0 ? children : Math.ceil(children / 2);
  const asks = Array.from({ length: children }, (_, n): Ask => {
    const isMutation = n < mutations;
    const parents = isMutation ? [survivors[n % survivors.length]!] : pairs[(n - mutations) % pairs.length]!;
    return {
      do: 'ask',
      task: isMutation ? 'mutate' : 'crossover',
      iteration,
      n,
      parents,
      cases: isMutation ? failuresOf(journal, parents[0]!, seedAt(journal.settings.seed, iteration, n)) : [],
      components: Object.keys(journal.settings.base),
      tries: new Map(),
      count: 1,
    };
  });
  const proposed = (yield asks) as Proposals[];
  return yield* bear(
    journal,
    asks.map((ask, n) => ({
      kind: ask.task === 'mutate' ? ('mutation' as const) : ('crossover' as const),
      ask,
      proposed: proposed[n]!,
    })),
  );
}

/** A random sample of the cases that a candidate failed. */
function failuresOf({ settings }: Journal, { scores }: Candidate, seed: number): number[] {
  const random = seededRandom(seed);
  return settings.reflect
    .filter((position) => isFailing(scores.get(position)))
    .map((position) => ({ position, draw: random() }))
    .sort((a, b) => a.draw - b.draw)
    .slice(0, FAILURES)
    .map(({ position }) => position);
}

/**
 * Adds proposals, and measures those that pass their checks.
 * @returns those with scores
 */
function* bear(
  journal: Journal,
  births: readonly { kind: Candidate['kind']; ask: Ask; proposed: Proposals }[],
): Generating {
  const born = births.flatMap(({ kind, ask, proposed }) => addProposed(journal, kind, ask, proposed));
  const live = born.filter(({ state }) => state === 'measuring');
  const cases = tuningCases(journal);
  yield* measure(
    journal,
    live.map((candidate) => ({ candidate, part: 'tuning', cases })),
  );
  accept(journal, live);
  return live.filter(({ state }) => state === 'accepted');
}

/** Adds candidates; one that cannot be tried is rejected with a reason. */
export function addProposed(
  journal: Journal,
  kind: Candidate['kind'],
  ask: Ask,
  { proposals, unreadable }: Proposals,
): Candidate[] {
  const [parent] = ask.parents;
  const given: readonly Proposal[] =
    unreadable === null
      ? proposals
      : [{ texts: {}, why: null, fault: `The reply of the meta model is invalid: ${unreadable}` }];
  return given.slice(0, ask.count).map(({ texts: changed, why, fault }) => {
    const texts = { ...parent!.texts, ...changed };
    const earlier = journal.earlier(texts);
    const of = {
      kind,
      iteration: ask.iteration,
      parents: ask.parents.map(({ id }) => id),
      texts,
      why,
      ask: keyOf(ask),
    };
    const candidate = journal.add(of);
    if (fault !== null) reject(candidate, fault);
    else if (earlier === parent) reject(candidate, 'It does not change anything.');
    else if (earlier) reject(candidate, `It has the same texts as candidate ${earlier.id}.`);
    return candidate;
  });
}

export function reject(candidate: Candidate, reason: string): void {
  Object.assign(candidate, { state: 'rejected', reason });
}

/** Accepts the candidates with a score on every select case. */
export function accept(journal: Journal, candidates: readonly Candidate[]): void {
  for (const candidate of candidates) {
    if (!journal.accept(candidate)) Object.assign(candidate, { state: 'undecided', reason: UNDECIDED });
  }
}
const UNDECIDED = 'Some of its cases errored twice, so it is not measured.';

const tuningCases = ({ settings: { reflect, select } }: Journal): number[] => [...new Set([...reflect, ...select])];

const bestOf = (pool: readonly Candidate[]): Candidate[] => pool.toSorted(bySelected);
