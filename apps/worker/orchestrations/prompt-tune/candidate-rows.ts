import type { CandidateRow } from '#lib/db/engine/prompt-tunes';
import type { PromptTexts } from '#lib/db/read/prompt-tunes';
import { lengthOf, type Candidate, type Replayed } from '#lib/tuning/prompts/search';

/** What a search has come to, as people see it. */
export function candidateRows({ journal, finding }: Replayed): CandidateRow[] {
  const front = new Set(journal.generations.at(-1)?.front);
  const finalists = new Set(finding?.finalists);
  const stateOf = ({ id, state }: Candidate): CandidateRow['state'] => {
    if (state !== 'accepted') return state;
    if (finding && !finding.failed && finding.best === id) return 'best';
    if (finalists.has(id)) return 'finalist';
    return front.has(id) ? 'front' : 'accepted';
  };
  return journal.candidates.map((candidate) => {
    const parent = journal.candidates[candidate.parents[0] ?? 0]!;
    const { select } = journal.settings;
    return {
      candidate: candidate.id,
      kind: candidate.kind,
      iteration: candidate.iteration,
      parents: [...candidate.parents],
      texts: differing(candidate.texts, journal.base.texts),
      changed: differing(candidate.texts, parent.texts),
      why: candidate.why,
      ask: candidate.ask,
      length: lengthOf(candidate.texts),
      state: stateOf(candidate),
      reason: candidate.reason,
      scores: {
        minibatch: candidate.trial?.own ?? null,
        parent: candidate.trial?.parent ?? null,
        select: journal.selectMean(candidate),
        final: candidate.final,
        holdout: null,
      },
      per_case: (select.length > MAX_SHOWN_CASES ? [] : select).flatMap((position): [number, number][] => {
        const score = candidate.scores.get(position);
        return score === undefined ? [] : [[position, score]];
      }),
    };
  });
}

/** The scores of so many cases are kept for people to read; the runs have all of them. */
const MAX_SHOWN_CASES = 5_000;

const differing = (texts: PromptTexts, from: PromptTexts): PromptTexts =>
  Object.fromEntries(Object.entries(texts).filter(([component, text]) => from[component] !== text));
