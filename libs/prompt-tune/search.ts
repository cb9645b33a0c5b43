import { note, type Note } from '#lib/contracts/note';
import { createHash } from 'node:crypto';
import { Fingerprints } from './fingerprints.js';
import { frontOf } from './pareto.js';

// A search for better prompts is a generator: it yields what it needs to know (a candidate's scores on some cases, a
// meta model's proposals) and receives the answers. It has no I/O, no clock and no randomness except its seed, so that
// a tune is resumed by replaying it from the start with the stored answers (`replay`). Requests are keyed by their
// contents (`keyOf`), never by their position: when an answer has changed in the meantime, as a repeated request may,
// the search takes another path and finds no answers there that belong to other requests.

/** The texts of a candidate by component. All candidates of a tune have the same components. */
export type Texts = Readonly<Record<string, string>>;

type CandidateKind = 'base' | 'variant' | 'mutation' | 'crossover' | 'reflection' | 'merge';

export interface Candidate {
  /** 0 is the base. */
  id: number;
  kind: CandidateKind;
  /** The generation or iteration that tried it last; 0 for the base. */
  iteration: number;
  parents: readonly number[];
  texts: Texts;
  /** The identity of its texts, independent of white space. */
  fingerprint: string;
  /** Total characters of its texts. */
  length: number;
  /** The author's explanation. */
  why: string | null;
  /** The key of the request to the meta model that produced it. */
  ask: string | null;
  /** The mean score of each measured case, 0..1. */
  scores: Map<number, number>;
  /** Set once it is accepted: its scores on the select cases, in their order, and the mean. */
  selected: { scores: Float64Array; mean: number } | null;
  /** Its mean, and its parent's, on the cases that decided whether to measure it on all. */
  trial: { own: number; parent: number; cases: number } | null;
  /** Its mean over fresh samples of the select cases. */
  final: number | null;
  /** `undecided`: cases that it was measured on errored, so it cannot be judged. */
  state: 'measuring' | 'accepted' | 'rejected' | 'undecided';
  /** Why it is rejected or undecided, as a sentence. */
  reason: string | null;
}

/** The mean scores of cases by position; a case that errored is absent. */
export type Scores = ReadonlyMap<number, number>;

export interface Measure {
  do: 'measure';
  candidate: Candidate;
  part: 'tuning' | 'minibatch' | 'select' | 'merge' | 'finalists';
  cases: readonly number[];
  firstSample: number;
  samples: number;
}

/** A request to the meta model. */
export interface Ask {
  do: 'ask';
  task: 'variants' | 'mutate' | 'crossover' | 'reflect';
  iteration: number;
  /** Its index within the iteration. */
  n: number;
  parents: readonly Candidate[];
  /** The cases that it may show; never those used to select or confirm, unless roles are shared. */
  cases: readonly number[];
  /** For `reflect`: the components, one of which is to be rewritten. */
  components: readonly string[];
  /** For `reflect`: how often each was rewritten for this parent. */
  tries: ReadonlyMap<string, number>;
  /** For `variants`: how many. */
  count: number;
}

export type Command = Measure | Ask;

/** Texts written by a meta model, only for its components, and what is wrong with them, if anything. */
export interface Proposal {
  texts: Texts;
  why: string | null;
  fault: string | null;
}

export interface Proposals {
  proposals: readonly Proposal[];
  /** Why there are none: the meta model's reply could not be read. */
  unreadable: string | null;
}

export type Answer = Scores | Proposals;

export type Search = Generator<readonly Command[], PromptFinding, readonly Answer[]>;

export interface PromptFinding {
  /** 0, the base, unless another candidate did better. */
  best: number;
  /** The candidates that were measured once more, including the base; empty when none was better than the base. */
  finalists: readonly number[];
  /** Why there is no result: the base has no scores. */
  failed: string | null;
}

/** A candidate that is best on some select case, and the number of those cases. */
interface Leader {
  candidate: Candidate;
  wins: number;
}

/** One generation, or one iteration of a reflective search. */
export interface Generation {
  iteration: number;
  accepted: number[];
  rejected: number[];
  front: number[];
  best: { id: number; score: number | null };
}

export interface SearchSettings {
  mode: 'quick' | 'evolutionary' | 'reflective';
  base: Texts;
  /** Positions of cases, in random order. Both lists are the same when a suite is too small to divide. */
  reflect: readonly number[];
  select: readonly number[];
  seed: number;
  samples: number;
  /** How many models each case is sent to. */
  models: number;
  variants: number;
  population: number;
  generations: number;
  selectionRatio: number;
  minibatch: number;
  /** The maximum number of items measured by a reflective search. */
  maxEvaluations: number;
}

/**
 * The maximum number of characters that a meta model may write in a search. Each step of a tune holds all of its texts
 * in memory, alongside the work of other teams.
 */
const MAX_WRITTEN_CHARS = 16_000_000;

/** The progress of a search. */
export class Journal {
  readonly candidates: Candidate[] = [];
  /** Ordered by number. */
  readonly accepted: Candidate[] = [];
  readonly generations: Generation[] = [];
  /** Measured items: cases times samples times models. */
  evaluations = 0;
  /** Why the search ended early. */
  readonly notes: Note[] = [];
  /** Merged pairs: "3+5". */
  readonly merged = new Set<string>();
  readonly #fingerprints = new Fingerprints();
  readonly #known = new Map<string, Candidate>();
  readonly #tries = new Map<number, Map<string, number>>();
  #written = 0;
  #front: Leader[] | undefined;

  constructor(readonly settings: SearchSettings) {
    this.add({ kind: 'base', iteration: 0, parents: [], texts: settings.base, why: null, ask: null });
  }

  get base(): Candidate {
    return this.candidates[0]!;
  }

  /** How often each component was rewritten for a parent. */
  triesOf({ id }: Candidate): Map<string, number> {
    const tries = this.#tries.get(id) ?? new Map<string, number>();
    this.#tries.set(id, tries);
    return tries;
  }

  /** The candidate with the same texts, ignoring white space. */
  earlier(texts: Texts): Candidate | undefined {
    return this.#known.get(this.#fingerprints.of(texts));
  }

  add(of: Pick<Candidate, 'kind' | 'iteration' | 'parents' | 'texts' | 'why' | 'ask'>): Candidate {
    const candidate: Candidate = {
      ...of,
      id: this.candidates.length,
      fingerprint: this.#fingerprints.of(of.texts),
      length: lengthOf(of.texts),
      scores: new Map(),
      selected: null,
      trial: null,
      final: null,
      state: 'measuring',
      reason: null,
    };
    this.candidates.push(candidate);
    if (!this.#known.has(candidate.fingerprint)) this.#known.set(candidate.fingerprint, candidate);
    return candidate;
  }

  /** Accepts a candidate if it has a score on every select case. @returns whether it was accepted */
  accept(candidate: Candidate): boolean {
    const mean = meanOf(candidate.scores, this.settings.select);
    if (mean === null) return false;
    const scores = Float64Array.from(this.settings.select, (position) => candidate.scores.get(position)!);
    Object.assign(candidate, { state: 'accepted', selected: { scores, mean } });
    this.accepted.push(candidate);
    this.accepted.sort((a, b) => a.id - b.id);
    this.#front = undefined;
    return true;
  }

  /** The Pareto front: candidates that are best on some select case, without those that others make redundant. */
  front(): readonly Leader[] {
    this.#front ??= frontOf(this.accepted.map(({ selected }) => selected!.scores)).map(({ index, wins }) => ({
      candidate: this.accepted[index]!,
      wins,
    }));
    return this.#front;
  }

  /** The accepted candidates, best first: ties go to the base, then to the shorter text. */
  ranking(): Candidate[] {
    return this.accepted.toSorted(bySelected);
  }

  /** Counts the characters written by a meta model. */
  hear({ proposals }: Proposals): void {
    for (const { texts } of proposals) this.#written += lengthOf(texts);
  }

  /** Whether further requests to the meta model are allowed. If not, a note is added. */
  mayAsk(): boolean {
    if (this.#written < MAX_WRITTEN_CHARS) return true;
    this.notes.push(
      note(
        'search_limit',
        `The search ended early: its meta model has written ${MAX_WRITTEN_CHARS / 1e6} million characters, which is ` +
          'the maximum. Name fewer components.',
        { limit: MAX_WRITTEN_CHARS },
      ),
    );
    return false;
  }

  endGeneration(iteration: number, front: readonly Candidate[]): void {
    const made = this.candidates.filter((one) => one.iteration === iteration && one.kind !== 'base');
    const idsOf = (state: Candidate['state']): number[] =>
      made.filter((one) => one.state === state).map(({ id }) => id);
    const best = this.accepted.reduce((a, b) => (bySelected(b, a) < 0 ? b : a), this.base);
    this.generations.push({
      iteration,
      accepted: idsOf('accepted'),
      rejected: idsOf('rejected'),
      front: front.map(({ id }) => id),
      best: { id: best.id, score: best.selected?.mean ?? null },
    });
  }
}

/** Scores that differ by less are equal. */
export const EPSILON = 1e-9;

/** Higher scores first; then the base; then the shorter text; then the earlier one. */
export const byMerit = (a: Candidate, b: Candidate, scoreOf: (one: Candidate) => number): number => {
  const difference = scoreOf(b) - scoreOf(a);
  if (Math.abs(difference) > EPSILON) return difference;
  return Number(b.id === 0) - Number(a.id === 0) || a.length - b.length || a.id - b.id;
};

/** Orders accepted candidates by their means on the select cases. */
export const bySelected = (a: Candidate, b: Candidate): number => byMerit(a, b, ({ selected }) => selected?.mean ?? -1);

const lengthOf = (texts: Texts): number => Object.values(texts).reduce((sum, text) => sum + text.length, 0);

/** The mean over these cases; null when one of them has no score. */
function meanOf(scores: Scores, cases: readonly number[]): number | null {
  let sum = 0;
  for (const position of cases) {
    const score = scores.get(position);
    if (score === undefined) return null;
    sum += score;
  }
  return cases.length === 0 ? null : sum / cases.length;
}

export const isFailing = (score: number | undefined): boolean => score !== undefined && score < 1 - EPSILON;

/** The key under which a command is stored within a tune. */
export function keyOf(command: Command): string {
  const parts =
    command.do === 'measure'
      ? [command.candidate.fingerprint, command.part, command.cases, command.firstSample, command.samples]
      : [
          command.task,
          command.iteration,
          command.n,
          command.parents.map(({ fingerprint }) => fingerprint),
          command.cases,
          command.components,
          command.count,
        ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

export interface Replayed {
  journal: Journal;
  /** The next commands; empty when the search is over. */
  next: readonly Command[];
  /** Undefined until the search is over. */
  finding: PromptFinding | undefined;
}

/** How many answers are processed between two pauses; a few milliseconds of work. */
const ANSWERS_BETWEEN_PAUSES = 25;

/**
 * Replays a search from its start, up to the first commands without an answer. A long replay takes a while, so it
 * pauses regularly for the other work of its thread.
 * @param answerOf undefined for a command that was not carried out
 */
export async function replay(
  begin: (journal: Journal) => Search,
  settings: SearchSettings,
  answerOf: (command: Command) => Answer | undefined,
  pause: () => Promise<void>,
): Promise<Replayed> {
  const journal = new Journal(settings);
  const search = begin(journal);
  let taken = 0;
  for (let step = search.next(); ;) {
    if (step.done) return { journal, next: [], finding: step.value };
    const answers: (Answer | undefined)[] = [];
    for (const command of step.value) {
      const answer = answerOf(command);
      answers.push(answer);
      if (command.do === 'ask' && answer) journal.hear(answer as Proposals);
      if (++taken % ANSWERS_BETWEEN_PAUSES === 0) await pause();
    }
    const next = step.value.filter((_command, n) => answers[n] === undefined);
    if (next.length > 0) return { journal, next, finding: undefined };
    step = search.next(answers as Answer[]);
  }
}

/** Measures candidates on the given cases that they have no score for. */
export function* measure(
  journal: Journal,
  wanted: readonly { candidate: Candidate; part: Measure['part']; cases: readonly number[] }[],
): Generator<readonly Command[], void, readonly Answer[]> {
  const commands = wanted
    .map(({ candidate, part, cases }) => toMeasure(journal, candidate, part, cases))
    .filter(({ cases }) => cases.length > 0);
  if (commands.length === 0) return;
  const answers = yield commands;
  commands.forEach((command, n) => record(journal, command, answers[n] as Scores));
}

export function toMeasure(
  { settings }: Journal,
  candidate: Candidate,
  part: Measure['part'],
  cases: readonly number[],
): Measure {
  const missing = cases.filter((position) => !candidate.scores.has(position));
  return { do: 'measure', candidate, part, cases: missing, firstSample: 0, samples: settings.samples };
}

export function record(journal: Journal, { candidate, cases, samples }: Measure, scores: Scores): void {
  journal.evaluations += cases.length * samples * journal.settings.models;
  for (const [position, score] of scores) candidate.scores.set(position, score);
}

/** An independent random seed for each place of a search: earlier draws do not shift it. */
export const seedAt = (seed: number, iteration: number, n = 0): number =>
  (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(iteration + 1, 0xc2b2ae35) + Math.imul(n + 1, 0x27d4eb2f)) >>>
  0;
