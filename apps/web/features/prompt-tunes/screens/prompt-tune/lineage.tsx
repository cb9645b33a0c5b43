import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState, type CSSProperties } from 'react';
import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { LazyDetails } from '../../../../ui/details';
import { MoreButton } from '../../../../ui/buttons';
import { QueryBoundary } from '../../../../ui/query-boundary';
import { count } from '../../../../ui/amounts';
import { UserLine } from '../../../../ui/user-text';
import { candidatesQuery } from '../../api';
import { LineagePicture } from './candidate-picture';
import { CandidateDetail, CandidateState } from './candidate';
import { kindInWords, lineageOf, scoreInWords, type Descendant } from './candidates';
import css from '../prompt-tunes.module.css';

/** Deeper levels are not indented further; each candidate names its parents. */
const MAX_DEPTH = 6;

/** The ancestry of candidates, with the accepted ones as a tree. */
export const Lineage = ({ tuneId }: { tuneId: string }) => (
  <section aria-labelledby="lineage" className="section">
    <h2 id="lineage">Lineage</h2>
    <QueryBoundary rows={6}>
      <Tree tuneId={tuneId} />
    </QueryBoundary>
  </section>
);

function Tree({ tuneId }: { tuneId: string }) {
  const candidates = useSuspenseInfiniteQuery({ ...candidatesQuery(tuneId), staleTime: 0 });
  const { pages } = candidates.data;
  const all = useMemo(() => pages.flatMap(({ items }) => items), [pages]);
  const lineage = useMemo(() => lineageOf(all), [all]);
  const [openedNumber, open] = useState<number>();
  const opened = all.find(({ candidate }) => candidate === openedNumber);
  return (
    <>
      <LineagePicture candidates={all} open={open} />
      {opened && (
        <section className={`section ${css.framed}`} aria-label={`Origin of candidate ${opened.candidate}`}>
          <h3>Candidate {opened.candidate}</h3>
          <CandidateDetail key={opened.candidate} tuneId={tuneId} candidate={opened} />
        </section>
      )}
      <ol className={css.lineage} aria-labelledby="lineage">
        {lineage.map((descendant) => (
          <Branch key={descendant.candidate.candidate} tuneId={tuneId} descendant={descendant} />
        ))}
      </ol>
      <MoreButton of={candidates}>Later candidates</MoreButton>
    </>
  );
}

function Branch({ tuneId, descendant: { candidate, depth, rejected } }: { tuneId: string; descendant: Descendant }) {
  const style = { '--depth': Math.min(depth, MAX_DEPTH) } as CSSProperties;
  return (
    <li style={style}>
      <Candidate tuneId={tuneId} candidate={candidate} />
      {rejected.length > 0 && (
        <LazyDetails
          className={css.rejected}
          summary={`${count(rejected.length)} rejected, from candidate ${candidate.candidate}`}
        >
          {() => (
            <ul className={css.lineage}>
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
