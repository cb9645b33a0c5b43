import { note } from '#lib/contracts/note';
import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { accept, addProposed, reject } from './evolutionary.js';
import { finish } from './finish.js';
import { mergeCases, proposeMerge, type Lineage } from './lineage.js';
import { minibatchOf } from './minibatch.js';
import { drawParent } from './pareto.js';
import {
  EPSILON,
  isFailing,
  keyOf,
  measure,
  seedAt,
  type Answer,
  type Ask,
  type Candidate,
  type Command,
  type Journal,
  type Proposals,
  type Search,
} from './search.js';

/** The search ends after this many iterations in a row without an accepted candidate. */
const MAX_REJECTIONS = 10;
/** The maximum number of iterations: the search is replayed at each of them. */
const MAX_ITERATIONS = 1_000;
const ACCEPTED_BEFORE_MERGE = 3;
const MERGE_CASES = 5;

type Part<Result> = Generator<readonly Command[], Result, readonly Answer[]>;

/**
 * After GEPA (Agrawal et al., 2025, arXiv:2507.19457). Each iteration takes a candidate that is best on some case,
 * shows its results on a few cases to the meta model, and has one of its texts rewritten: in turn the system prompt, a
 * tool description and a parameter description. A child that does better on these cases is measured on the select cases
 * and becomes a candidate. Occasionally two candidates are merged.
 */
export function* reflective(journal: Journal): Search {
  const { base, settings } = journal;
  yield* measure(journal, [
    { candidate: base, part: 'tuning', cases: [...new Set([...settings.reflect, ...settings.select])] },
  ]);
  accept(journal, [base]);
  if (base.state === 'accepted') yield* iterate(journal);
  return yield* finish(journal);
}

function* iterate(journal: Journal): Part<void> {
  const groups = groupsOf(Object.keys(journal.settings.base));
  const batches = new Batches(journal);
  let rejections = 0;
  let accepted = 0;
  for (let iteration = 1; rejections < MAX_REJECTIONS && mayIterate(journal, iteration); iteration++) {
    const child = yield* reflect(journal, batches, iteration, groups[(iteration - 1) % groups.length]!);
    const isAccepted = child?.state === 'accepted';
    rejections = isAccepted ? 0 : rejections + 1;
    if (isAccepted && ++accepted % ACCEPTED_BEFORE_MERGE === 0 && affordsChild(journal))
      yield* merge(journal, iteration);
    journal.endGeneration(
      iteration,
      journal.front().map(({ candidate }) => candidate),
    );
  }
}

function mayIterate(journal: Journal, iteration: number): boolean {
  if (!affordsChild(journal)) return false;
  if (iteration <= MAX_ITERATIONS) return journal.mayAsk();
  const text = `The search ended after ${MAX_ITERATIONS} iterations, which is the maximum.`;
  journal.notes.push(note('search_limit', text, { limit: MAX_ITERATIONS }));
  return false;
}

/** The system prompt; tool descriptions; parameter descriptions. */
function groupsOf(components: readonly string[]): string[][] {
  const kindOf = (component: string): number =>
    component === 'system_prompt' ? 0 : component.includes('/parameters/') ? 2 : 1;
  const groups = Map.groupBy(components, kindOf);
  return [0, 1, 2].flatMap((kind) => (groups.has(kind) ? [groups.get(kind)!] : []));
}

/** Whether the budget allows an accepted child to be measured completely. */
function affordsChild({ evaluations, settings }: Journal): boolean {
  const { minibatch, select, samples, models, maxEvaluations } = settings;
  return evaluations + (2 * minibatch + select.length) * samples * models <= maxEvaluations;
}

/** @returns the child; undefined when its parent fails none of the cases it could learn from */
function* reflect(
  journal: Journal,
  batches: Batches,
  iteration: number,
  components: readonly string[],
): Part<Candidate | undefined> {
  const random = seededRandom(seedAt(journal.settings.seed, iteration));
  const parent = drawParent(journal.front(), random()).candidate;
  const cases = yield* batches.next(parent);
  if (cases.length === 0) return undefined;
  const tries = journal.triesOf(parent);
  const ask: Ask = {
    do: 'ask',
    task: 'reflect',
    iteration,
    n: 0,
    parents: [parent],
    cases,
    components,
    tries,
    count: 1,
  };
  const [proposed] = (yield [ask]) as [Proposals];
  for (const component of Object.keys(proposed.proposals[0]?.texts ?? {}))
    tries.set(component, (tries.get(component) ?? 0) + 1);
  const child = again(journal, ask, proposed) ?? addProposed(journal, 'reflection', ask, proposed)[0];
  if (child?.state !== 'measuring') return child;
  yield* measure(journal, [{ candidate: child, part: 'minibatch', cases }]);
  const isBetter = compare(child, parent, cases, (own, other) => own > other + EPSILON);
  if (isBetter) yield* measureOnSelect(journal, child);
  return child;
}

/**
 * A child of this parent that is proposed again after it was no better on its minibatch, or undecided: the current
 * cases are a second opinion. The journal then describes this try.
 */
function again(journal: Journal, ask: Ask, { proposals: [proposed] }: Proposals): Candidate | undefined {
  if (!proposed || proposed.fault !== null) return undefined;
  const [parent] = ask.parents;
  const earlier = journal.earlier({ ...parent!.texts, ...proposed.texts });
  const wasTried = earlier?.state === 'undecided' || (earlier?.state === 'rejected' && earlier.trial !== null);
  if (!earlier || !wasTried || earlier.parents[0] !== parent!.id) return undefined;
  const { iteration } = ask;
  return Object.assign(earlier, { state: 'measuring', reason: null, iteration, why: proposed.why, ask: keyOf(ask) });
}

function* measureOnSelect(journal: Journal, child: Candidate): Part<void> {
  yield* measure(journal, [{ candidate: child, part: 'select', cases: journal.settings.select }]);
  accept(journal, [child]);
}

/** Compares a child with its parent on a few cases. A child that does not do well enough is rejected, or undecided. */
function compare(
  child: Candidate,
  parent: Candidate,
  cases: readonly number[],
  isEnough: (own: number, other: number) => boolean,
): boolean {
  const common = cases.filter((position) => parent.scores.has(position));
  if (common.length === 0 || common.some((position) => !child.scores.has(position))) {
    Object.assign(child, {
      state: 'undecided',
      reason: 'Some of its cases errored twice.',
    });
    return false;
  }
  const sumOf = ({ scores }: Candidate): number => common.reduce((sum, position) => sum + scores.get(position)!, 0);
  const [own, other] = [sumOf(child), sumOf(parent)];
  child.trial = { own: own / common.length, parent: other / common.length, cases: common.length };
  if (isEnough(own, other)) return true;
  const shown = (sum: number): string => Number(sum.toFixed(2)).toString();
  reject(
    child,
    `On the ${common.length} cases of its reflection, it scores ${shown(own)} in total, and candidate ${parent.id} ` +
      `${shown(other)}.`,
  );
  return false;
}

/** The successive minibatches of a search. */
class Batches {
  #n = 0;

  constructor(readonly journal: Journal) {}

  /**
   * The next batch with a case that the parent fails; the parent is measured on the cases it has no score of.
   * @returns an empty list when it fails none, or too few evaluations are left
   */
  *next(parent: Candidate): Part<number[]> {
    const { reflect, minibatch, seed } = this.journal.settings;
    const most = Math.ceil(reflect.length / minibatch);
    for (let tried = 0; tried < most && affordsChild(this.journal); tried++) {
      const failing = (position: number): boolean => isFailing(this.#likely(parent, position));
      const cases = minibatchOf(reflect, this.#n++, { size: minibatch, seed, failing });
      yield* measure(this.journal, [{ candidate: parent, part: 'minibatch', cases }]);
      if (cases.some((position) => isFailing(parent.scores.get(position)))) return cases;
    }
    return [];
  }

  /** The score of a candidate, or if it was not measured, of its nearest ancestor. */
  #likely(candidate: Candidate, position: number): number | undefined {
    const score = candidate.scores.get(position);
    const [parent] = candidate.parents;
    return score ?? (parent === undefined ? undefined : this.#likely(this.journal.candidates[parent]!, position));
  }
}

/** Merges two candidates that differ in what they changed. */
function* merge(journal: Journal, iteration: number): Part<void> {
  const random = seededRandom(seedAt(journal.settings.seed, iteration, 1));
  const lineage = new Map(
    journal.accepted.map(({ id, parents, texts: components, selected }): [number, Lineage] => [
      id,
      { id, parents, components, score: selected!.mean },
    ]),
  );
  const members = journal.front().map(({ candidate }) => candidate.id);
  const merging = proposeMerge(members, lineage, journal.merged, random);
  if (!merging) return;
  const parents = merging.parents.map((id) => journal.candidates[id]!) as [Candidate, Candidate];
  journal.merged.add(
    parents
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join('+'),
  );
  if (journal.earlier(merging.components)) return;
  const [a, b] = parents;
  const [ofA, ofB] = [a.selected!, b.selected!];
  const better = ofB.mean > ofA.mean + EPSILON ? b : a;
  const why = `What candidates ${a.id} and ${b.id} changed, together.`;
  const of = { iteration, parents: [a.id, b.id], texts: merging.components, why, ask: null };
  const child = journal.add({ kind: 'merge', ...of });
  const chosen = mergeCases(ofA.scores, ofB.scores, random, MERGE_CASES);
  const cases = chosen.map((index) => journal.settings.select[index]!);
  yield* measure(journal, [{ candidate: child, part: 'merge', cases }]);
  if (compare(child, better, cases, (own, other) => own >= other - EPSILON)) yield* measureOnSelect(journal, child);
}
