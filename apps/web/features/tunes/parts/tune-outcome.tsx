import type { ReactNode } from 'react';
import type { PromptTune } from '#lib/prompt-tune/contract';
import type { TuneOutcome } from '#lib/tuning/contract';
import { DeltaFigure } from '../../../ui/figures/delta';
import { count } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';

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

interface VerdictProps {
  found: Pick<PromptTune, 'text' | 'holdout'> & { outcome: TuneOutcome | null };
  /** What the figure shows. */
  label: string;
  /** Further facts about the held-out cases. */
  children?: ReactNode;
}

/** What a tune found, in a sentence, and how certain it is. */
export function Verdict({ found: { text, outcome, holdout }, label, children }: VerdictProps) {
  return (
    <>
      {text !== null && (
        <p className="sentence">
          <UserText text={text} />
        </p>
      )}
      {outcome !== null && (
        <div className="facts">
          <OutcomeMark outcome={outcome} />
          {holdout && <span>{count(holdout.n_cases)} held-out cases</span>}
          {children}
        </div>
      )}
      {holdout?.difference != null && (
        <DeltaFigure label={label} difference={holdout.difference} interval={holdout.ci} />
      )}
    </>
  );
}
