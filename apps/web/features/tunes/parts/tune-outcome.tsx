import type { TuneOutcome } from '#lib/tuning/contract';

const LOOKS: Record<TuneOutcome, string> = {
  confirmed: 'passed',
  not_confirmed: 'partial',
  worse: 'failed',
  unconfirmed: 'partial',
  base: 'waiting',
};

/** What the held-out cases say about the recommended arm, in the server's words. */
export const OutcomeMark = ({ outcome }: { outcome: TuneOutcome }) => (
  <span className={`status ${LOOKS[outcome]}`}>{outcome.replaceAll('_', ' ')}</span>
);
