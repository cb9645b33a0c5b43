import type { PromptCandidate } from '#lib/prompt-tune/contract';

const LOOKS: Record<PromptCandidate['state'], string> = {
  measuring: 'waiting',
  rejected: 'failed',
  undecided: 'partial',
  accepted: 'waiting',
  front: 'waiting',
  finalist: 'waiting',
  best: 'passed',
};

/** A candidate's state, in the server's words. */
export const CandidateState = ({ state }: Pick<PromptCandidate, 'state'>) => (
  <span className={`status ${LOOKS[state]}`}>{state}</span>
);
