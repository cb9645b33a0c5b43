import {
  byMerit,
  EPSILON,
  type Answer,
  type Candidate,
  type Command,
  type Journal,
  type Measure,
  type PromptFinding,
  type Scores,
} from './search.js';

/** The maximum number of candidates that are measured again in addition to the base. */
export const FINALISTS = 3;
export const FINAL_SAMPLES = 3;

/**
 * The end of every search: the best candidates, if any beat the base, and the base are measured again on the select
 * cases. The score that selected a candidate is biased upwards, so it is not used to choose again.
 */
export function* finish(journal: Journal): Generator<readonly Command[], PromptFinding, readonly Answer[]> {
  const { base, settings } = journal;
  const ofBase = base.selected;
  if (!ofBase) return { best: 0, finalists: [], failed: NO_BASE };
  const better = journal
    .ranking()
    .filter(({ selected }) => selected!.mean > ofBase.mean + EPSILON)
    .slice(0, FINALISTS);
  if (better.length === 0) return { best: 0, finalists: [], failed: null };
  const finalists = [base, ...better];
  const commands = finalists.map((candidate): Measure => ({
    do: 'measure',
    candidate,
    part: 'finalists',
    cases: settings.select,
    firstSample: settings.samples,
    samples: FINAL_SAMPLES,
  }));
  const measured = (yield commands) as Scores[];
  const merits = new Map(finalists.map((one, n) => [one, advantage(measured[n]!, measured[0]!)]));
  finalists.forEach((one, n) => (one.final = meanOfAll(measured[n]!)));
  const [best] = finalists.toSorted((a, b) => byMerit(a, b, (one: Candidate) => merits.get(one)!));
  return { best: best!.id, finalists: finalists.map(({ id }) => id), failed: null };
}

const NO_BASE = 'The base has no score on some of the cases that candidates are compared by: these errored twice.';

/** The mean difference over the cases scored in both; lower than any other value when there are none. */
function advantage(own: Scores, base: Scores): number {
  const common = [...own].filter(([position]) => base.has(position));
  if (common.length === 0) return -Infinity;
  return common.reduce((sum, [position, score]) => sum + score - base.get(position)!, 0) / common.length;
}

const meanOfAll = (scores: Scores): number | null =>
  scores.size === 0 ? null : [...scores.values()].reduce((sum, score) => sum + score, 0) / scores.size;
