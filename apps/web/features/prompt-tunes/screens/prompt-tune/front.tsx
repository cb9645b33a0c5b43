import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { leadingQuery } from '../../api';
import { IntervalBar } from '../../../../ui/figures/intervals';
import { ErrorNotice } from '../../../../ui/error-notice';
import { count } from '../../../../ui/score';
import { CandidateDetail } from './candidate-detail';
import { CandidateState } from './candidate-state';
import { byMerit, kindInWords, scoreInWords } from './candidate-words';
import { Table } from '../../../../ui/table';

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
      <h2 id="front">Leading candidates</h2>
      {error && <ErrorNotice error={error} retry={() => refetch()} />}
      {data?.length === 0 && <p className="muted">No candidates measured yet.</p>}
      {leading.length > 0 && (
        <Table
          label="List of leading candidates"
          className="front"
          rows={leading}
          keyOf={({ candidate }) => candidate}
          columns={[
            { name: 'No.', isNumber: true, cell: ({ candidate }) => candidate },
            { name: 'Origin', cell: (candidate) => kindInWords(candidate) },
            { name: 'State', cell: ({ state }) => <CandidateState state={state} /> },
            {
              name: '0 to 100 %',
              cell: ({ scores: { select } }) =>
                select !== null && <IntervalBar mean={select} interval={[select, select]} />,
            },
            {
              name: 'Score on selection cases',
              cell: (candidate) => scoreInWords(candidate) ?? 'not measured yet',
            },
            { name: 'Characters', isNumber: true, cell: ({ length }) => count(length) },
            {
              name: 'Actions',
              isNameHidden: true,
              cell: (candidate) => (
                <button
                  type="button"
                  className="dense"
                  aria-expanded={candidate === opened}
                  onClick={() => open(candidate === opened ? undefined : candidate.candidate)}
                >
                  {candidate === opened ? 'Close' : 'Changes'}
                  <span className="unseen"> candidate {candidate.candidate}</span>
                </button>
              ),
            },
          ]}
        />
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
