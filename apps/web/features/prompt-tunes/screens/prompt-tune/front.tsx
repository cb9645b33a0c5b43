import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PromptCandidate } from '#lib/prompt-tune/contract';
import { IntervalBar } from '../../../../ui/figures/intervals';
import { Section } from '../../../../ui/query-boundary';
import { count } from '../../../../ui/amounts';
import { Table, type Column } from '../../../../ui/table';
import { leadingQuery } from '../../api';
import { FrontPicture } from './candidate-picture';
import { CandidateDetail, CandidateState } from './candidate';
import { byMerit, kindInWords, scoreInWords } from './candidates';
import css from '../prompt-tunes.module.css';

/** The others are in the lineage. */
const SHOWN = 50;

/** The leading candidates, with their scores and lengths. */
export const Front = ({ tuneId }: { tuneId: string }) => (
  <Section id="front" title="Leading candidates">
    <Leading tuneId={tuneId} />
  </Section>
);

function Leading({ tuneId }: { tuneId: string }) {
  const { data } = useSuspenseQuery({ ...leadingQuery(tuneId), staleTime: 0 });
  const [openedNumber, open] = useState<number>();
  if (data.length === 0) return <p className="muted">No candidates measured yet.</p>;
  const leading = data.toSorted(byMerit).slice(0, SHOWN);
  const opened = leading.find(({ candidate }) => candidate === openedNumber);
  return (
    <>
      <FrontPicture candidates={leading} open={open} />
      {opened && (
        <section className={`section ${css.framed}`} aria-label={`Candidate ${opened.candidate}`}>
          <h3>Candidate {opened.candidate}</h3>
          <CandidateDetail tuneId={tuneId} candidate={opened} />
        </section>
      )}
      <Table
        label="List of leading candidates"
        className={css.front}
        rows={leading}
        keyOf={({ candidate }) => candidate}
        columns={[
          ...COLUMNS,
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
      {data.length > SHOWN && <p className="muted">{count(data.length - SHOWN)} more are in the lineage.</p>}
    </>
  );
}

const COLUMNS: Column<PromptCandidate>[] = [
  { name: 'No.', isNumber: true, cell: ({ candidate }) => candidate },
  { name: 'Origin', cell: (candidate) => kindInWords(candidate) },
  { name: 'State', cell: ({ state }) => <CandidateState state={state} /> },
  {
    name: '0 to 100 %',
    cell: ({ scores: { select } }) => select !== null && <IntervalBar mean={select} interval={[select, select]} />,
  },
  { name: 'Score on selection cases', cell: (candidate) => scoreInWords(candidate) ?? 'not measured yet' },
  { name: 'Characters', isNumber: true, cell: ({ length }) => count(length) },
];
