import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, type CSSProperties } from 'react';
import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { candidatesQuery } from '../../api';
import { ErrorNotice } from '../../../../ui/error-notice';
import { LazyDetails } from '../../../../ui/folded';
import { UserLine } from '../../../../ui/user-text';
import { count } from '../../../../ui/score';
import { Skeleton } from '../../../../ui/skeleton';
import { MoreButton } from '../../../../ui/more-button';
import { CandidateDetail } from './candidate-detail';
import { CandidateState } from './candidate-state';
import { kindInWords, scoreInWords } from './candidate-words';
import { lineageOf, type Descendant } from './lineage-tree';

/** Deeper levels are not indented further; each candidate names its parents. */
const MAX_DEPTH = 6;

/** The ancestry of candidates, with the accepted ones as a tree. */
export function Lineage({ tuneId }: { tuneId: string }) {
  const candidates = useInfiniteQuery({ ...candidatesQuery(tuneId), refetchOnMount: 'always' });
  const { data, error, isPending, refetch } = candidates;
  const lineage = useMemo(() => lineageOf(data?.pages.flatMap(({ items }) => items) ?? []), [data]);
  return (
    <section aria-labelledby="lineage" className="section">
      <h2 id="lineage">Lineage</h2>
      <p className="muted">
        Which candidate was made from which. Scores are on selection cases; rejected candidates are folded.
      </p>
      {error && <ErrorNotice error={error} retry={() => refetch()} />}
      {isPending && <Skeleton rows={6} />}
      <ol className="lineage" aria-labelledby="lineage">
        {lineage.map((descendant) => (
          <Branch key={descendant.candidate.candidate} tuneId={tuneId} descendant={descendant} />
        ))}
      </ol>
      <MoreButton of={candidates}>Later candidates</MoreButton>
    </section>
  );
}

function Branch({ tuneId, descendant: { candidate, depth, rejected } }: { tuneId: string; descendant: Descendant }) {
  const style = { '--depth': Math.min(depth, MAX_DEPTH) } as CSSProperties;
  return (
    <li style={style}>
      <Candidate tuneId={tuneId} candidate={candidate} />
      {rejected.length > 0 && (
        <LazyDetails
          className="rejected"
          summary={`${count(rejected.length)} rejected, from candidate ${candidate.candidate}`}
        >
          {() => (
            <ul className="lineage">
              {rejected.map((one) => (
                <li key={one.candidate}>
                  <Candidate tuneId={tuneId} candidate={one} />
                </li>
              ))}
            </ul>
          )}
        </LazyDetails>
      )}
    </li>
  );
}

function Candidate({ tuneId, candidate }: { tuneId: string; candidate: PromptCandidate }) {
  const { candidate: number, state, why, reason, length } = candidate;
  const shownReason = reason ?? why;
  return (
    <LazyDetails
      summary={
        <>
          <strong>Candidate {number}</strong> <CandidateState state={state} />{' '}
          <span>{[kindInWords(candidate), scoreInWords(candidate)].filter(Boolean).join(', ')}</span>{' '}
          <span className="muted small">{count(length)} characters</span>
          {shownReason !== null && (
            <span className="muted small">
              <UserLine text={shownReason} />
            </span>
          )}
        </>
      }
    >
      {() => <CandidateDetail tuneId={tuneId} candidate={candidate} />}
    </LazyDetails>
  );
}
