import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { leadingQuery } from '../../api/prompt-tunes';
import { IntervalBar } from '../../figures/intervals';
import { Failed } from '../../parts/failed';
import { count } from '../../parts/score';
import { CandidateDetail } from './candidate-detail';
import { CandidateState } from './candidate-state';
import { byMerit, kindInWords, scoreInWords } from './candidate-words';

/** The others are in the lineage. */
const SHOWN = 50;

/** The leading candidates, with their scores and lengths. */
export function Front({ tuneId }: { tuneId: string }) {
  const { data, error, refetch } = useQuery({ ...leadingQuery(tuneId), refetchOnMount: 'always' });
  const [openedNumber, open] = useState<number>();
  const leading = data?.toSorted(byMerit).slice(0, SHOWN) ?? [];
  const opened = leading.find(({ candidate }) => candidate === openedNumber);
  return (
    <section aria-labelledby="front" className="section">
      <h2 id="front">In the lead</h2>
      {error && <Failed error={error} retry={() => refetch()} />}
      {data?.length === 0 && <p className="muted">The candidates stand here when they are measured.</p>}
      {leading.length > 0 && (
        <div className="wide" tabIndex={0} role="region" aria-label="Candidates that lead">
          <table className="front">
            <thead>
              <tr>
                <th className="number">No.</th>
                <th>Made as</th>
                <th>State</th>
                <th>0 to 100 %</th>
                <th>Score on the cases that choose</th>
                <th className="number">Characters</th>
                <th>
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {leading.map((candidate) => (
                <LeadingRow
                  key={candidate.candidate}
                  candidate={candidate}
                  isOpen={candidate === opened}
                  toggle={() => open(candidate === opened ? undefined : candidate.candidate)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && data.length > SHOWN && <p className="muted">{count(data.length - SHOWN)} more are in the lineage.</p>}
      {opened && (
        <section className="section opened" aria-label={`Candidate ${opened.candidate}`}>
          <h3>Candidate {opened.candidate}</h3>
          <CandidateDetail tuneId={tuneId} candidate={opened} />
        </section>
      )}
    </section>
  );
}

interface RowProps {
  candidate: PromptCandidate;
  isOpen: boolean;
  toggle: () => void;
}

function LeadingRow({ candidate, isOpen, toggle }: RowProps) {
  const { select } = candidate.scores;
  return (
    <tr>
      <td className="number">{candidate.candidate}</td>
      <td>{kindInWords(candidate)}</td>
      <td>
        <CandidateState state={candidate.state} />
      </td>
      <td>{select !== null && <IntervalBar mean={select} interval={[select, select]} />}</td>
      <td>{scoreInWords(candidate) ?? 'not measured yet'}</td>
      <td className="number">{count(candidate.length)}</td>
      <td>
        <button type="button" className="dense" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? 'Close' : 'What it changed'}
          <span className="unseen"> candidate {candidate.candidate}</span>
        </button>
      </td>
    </tr>
  );
}
