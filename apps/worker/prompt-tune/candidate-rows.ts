import { createHash } from 'node:crypto';
import type { CandidateRow, StoredCandidate } from '#lib/prompt-tune/rows/stored-search';
import type { PromptTexts } from '#lib/prompt-tune/rows/prompt-tunes';
import type { Candidate, Journal, Replayed } from '#lib/prompt-tune/search';

/** How many rows are built between two pauses; a few milliseconds of work. */
const ROWS_BETWEEN_PAUSES = 25;

/** The state of a search as rows for display. */
export async function candidateRows(
  { journal, finding }: Replayed,
  pause: () => Promise<void>,
): Promise<StoredCandidate[]> {
  const front = new Set(journal.generations.at(-1)?.front);
  const finalists = new Set(finding?.finalists);
  const stateOf = ({ id, state }: Candidate): CandidateRow['state'] => {
    if (state !== 'accepted') return state;
    if (finding && !finding.failed && finding.best === id) return 'best';
    if (finalists.has(id)) return 'finalist';
    return front.has(id) ? 'front' : 'accepted';
  };
  const rows: StoredCandidate[] = [];
  for (const candidate of journal.candidates) {
    if (candidate.id % ROWS_BETWEEN_PAUSES === 0) await pause();
    const row = rowOf(candidate, journal, stateOf(candidate));
    rows.push({ ...row, digest: digestOf(row) });
  }
  return rows;
}

function rowOf(candidate: Candidate, { candidates, settings }: Journal, state: CandidateRow['state']): CandidateRow {
  const parent = candidates[candidate.parents[0] ?? 0]!;
  const { select } = settings;
  return {
    candidate: candidate.id,
    kind: candidate.kind,
    iteration: candidate.iteration,
    parents: [...candidate.parents],
    changed: differing(candidate.texts, parent.texts),
    why: candidate.why,
    ask: candidate.ask,
    length: candidate.length,
    state,
    reason: candidate.reason,
    scores: {
      minibatch: candidate.trial?.own ?? null,
      parent: candidate.trial?.parent ?? null,
      select: candidate.selected?.mean ?? null,
      final: candidate.final,
      holdout: null,
    },
    per_case: (select.length > MAX_SHOWN_CASES ? [] : select).flatMap((position): [number, number][] => {
      const score = candidate.scores.get(position);
      return score === undefined ? [] : [[position, score]];
    }),
  };
}

/** The scores of up to this many cases are stored for display; the runs have all of them. */
const MAX_SHOWN_CASES = 5_000;

const differing = (texts: PromptTexts, from: PromptTexts): PromptTexts =>
  Object.fromEntries(Object.entries(texts).filter(([component, text]) => from[component] !== text));

const digestOf = (row: CandidateRow): string =>
  createHash('sha256').update(JSON.stringify(row)).digest('base64url').slice(0, 22);
