import { Link } from '@tanstack/react-router';
import { errorWord, type ResultsSearch } from '../../address';
import type { Result } from '../../api/results';
import type { Column } from '../../../../ui/data-rows';
import { UserLine } from '../../../../ui/user-text';
import { duration } from '../../../../ui/time';
import { Verdict } from '../../parts/verdict';
import { calledInWords, expectedInWords } from './calls-in-words';

/** The columns of a result row. */
export const resultColumns = (runId: string, search: ResultsSearch): Column<Result>[] => [
  { name: 'Verdict', track: '96px', cell: (result) => <Verdict of={result} /> },
  {
    name: 'Error',
    track: 'minmax(128px, 1fr)',
    cell: ({ error_type: type }) => (type === 'none' ? '' : errorWord(type)),
  },
  { name: 'Model', track: 'minmax(112px, 1.5fr)', cell: ({ target }) => <UserLine text={target} /> },
  {
    name: 'Case',
    track: 'minmax(144px, 3fr)',
    cell: ({ id, case_name: name, prompt, sample }) => (
      <Link
        to="/runs/$runId/results/$resultId"
        params={{ runId, resultId: id }}
        search={search}
        tabIndex={-1}
        onClick={(event) => event.stopPropagation()}
      >
        <UserLine text={`${name ?? prompt}${sample ? ` (sample ${sample + 1})` : ''}`} />
      </Link>
    ),
  },
  { name: 'Expected', track: 'minmax(96px, 1.5fr)', cell: (result) => <UserLine text={expectedInWords(result)} /> },
  { name: 'Called', track: 'minmax(96px, 1.5fr)', cell: (result) => <UserLine text={calledInWords(result)} /> },
  {
    name: 'Score',
    track: '56px',
    isNumber: true,
    cell: ({ overall }) => (overall === null ? '' : `${(overall * 100).toFixed(0)} %`),
  },
  {
    name: 'Latency',
    track: '64px',
    isNumber: true,
    cell: ({ latency_ms: ms, cached }) => (cached ? 'cached' : ms === null ? '' : duration(ms)),
  },
];
