import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { LazyDetails } from '../../../../ui/details';
import { count, Money } from '../../../../ui/amounts';
import { QueryBoundary } from '../../../../ui/query-boundary';
import { UserText } from '../../../../ui/user-text';
import { ComponentTexts, PromptDiffView } from '../../../prompts/parts/prompt-texts';
import { candidateDiffQuery, candidateQuery } from '../../api';
import css from '../prompt-tunes.module.css';

const RUNS_SHOWN = 20;

/** A candidate's changes with their reason, its texts, and its cost. */
export function CandidateDetail({ tuneId, candidate }: { tuneId: string; candidate: PromptCandidate }) {
  const { candidate: number, parents, why, reason, meta, runs } = candidate;
  return (
    <div className={`section ${css.candidate}`}>
      {reason !== null && (
        <p>
          <UserText text={reason} />
        </p>
      )}
      {why !== null && (
        <p>
          {meta !== null && <span className="muted">Meta model: </span>}
          <UserText text={why} />
        </p>
      )}
      {parents.length > 0 && (
        <section className="section" aria-label={`Changes of candidate ${number} from candidate ${parents[0]}`}>
          <strong>Changes from candidate {parents[0]}</strong>
          <Changes tuneId={tuneId} of={number} from={parents[0]!} />
        </section>
      )}
      <LazyDetails summary="All texts">
        {() => (
          <QueryBoundary>
            <Texts tuneId={tuneId} number={number} />
          </QueryBoundary>
        )}
      </LazyDetails>
      {meta !== null && (
        <p className="muted">
          {meta.eval_id === null ? (
            'Request'
          ) : (
            <Link to="/runs/$runId/results" params={{ runId: meta.eval_id }}>
              Request
            </Link>
          )}
          : {count(meta.prompt_tokens)} tokens in, {count(meta.completion_tokens)} out, <Money usd={meta.cost_usd} />
        </p>
      )}
      {runs.length > 0 && (
        <div className="actions">
          <span className="muted">Runs:</span>
          {runs.slice(0, RUNS_SHOWN).map(({ eval_id: runId, part }) => (
            <Link key={runId} to="/runs/$runId" params={{ runId }}>
              <UserText text={part} max={100} />
            </Link>
          ))}
          {runs.length > RUNS_SHOWN && <span className="muted">and {count(runs.length - RUNS_SHOWN)} more</span>}
        </div>
      )}
    </div>
  );
}

interface ChangesProps {
  tuneId: string;
  of: number;
  from: number;
}

/** The changes of a candidate from another. */
export const Changes = (props: ChangesProps) => (
  <QueryBoundary>
    <Diff {...props} />
  </QueryBoundary>
);

const Diff = ({ tuneId, of, from }: ChangesProps) => (
  <PromptDiffView components={useSuspenseQuery(candidateDiffQuery(tuneId, of, from)).data.components} />
);

const Texts = ({ tuneId, number }: { tuneId: string; number: number }) => (
  <ComponentTexts texts={useSuspenseQuery(candidateQuery(tuneId, number)).data.texts} />
);

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
