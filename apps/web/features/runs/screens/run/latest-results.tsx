import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { differenceWords } from '#lib/contracts/difference-words';
import { count, percent } from '../../../../ui/amounts';
import { Table } from '../../../../ui/table';
import { duration } from '../../../../ui/time';
import { useDebounced } from '../../../../ui/debounced';
import { UserLine } from '../../../../ui/user-text';
import { ModelName } from '../../../providers/parts/model-name';
import { namedResultsQuery, type Result } from '../../../results/api';
import { Verdict } from '../../../results/parts/verdict';
import { NEWEST, type LiveResult, type LiveRunState } from '../../live';

/**
 * Results as they arrive. Rows are added below until the list is full; then it stays unchanged until the user asks for
 * the newest.
 */
export function LatestResults({ runId, live }: { runId: string; live: LiveRunState }) {
  const [kept, setKept] = useState<LiveRunState>();
  if (!kept && live.newest.length === NEWEST) setKept(live);
  const rows = (kept ?? live).newest;
  const more = kept ? live.received - kept.received : 0;
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="newest" className="section">
      <div className="head">
        <h3 id="newest">Newest results</h3>
        {more > 0 && (
          <button type="button" className="dense" onClick={() => setKept(live)}>
            Show {count(more)} more
          </button>
        )}
      </div>
      <Rows runId={runId} rows={rows} />
    </section>
  );
}

/** Rendered only for other rows: the list around it is rendered up to once a frame while results arrive. */
const Rows = memo(function Rows({ runId, rows }: { runId: string; rows: readonly LiveResult[] }) {
  const resultOf = useResults(runId, rows);
  const nameOf = (id: string): string | undefined => {
    const result = resultOf(id);
    return result && (result.case_name ?? result.prompt);
  };
  return (
    <Table
      label="Latest results"
      className="run-rows"
      rows={rows}
      keyOf={({ seq }) => seq}
      columns={[
        { name: 'Verdict', cell: (row) => <Verdict of={row} /> },
        { name: 'Model', className: 'named', cell: ({ target }) => <ModelName target={target} /> },
        {
          name: 'Case',
          className: 'named',
          cell: ({ id, case_position: position, sample }) => (
            <Link to="/runs/$runId/results/$resultId" params={{ runId, resultId: id }}>
              <UserLine text={nameOf(id) ?? `case ${position + 1}`} />
              {sample > 0 && ` sample ${sample + 1}`}
            </Link>
          ),
        },
        {
          name: 'What differs',
          className: 'named',
          cell: ({ id }) => {
            const difference = resultOf(id)?.difference;
            return difference && <UserLine text={differenceWords(difference)} />;
          },
        },
        { name: 'Score', isNumber: true, cell: ({ overall }) => overall !== null && percent(overall) },
        { name: 'Latency', isNumber: true, cell: ({ latency_ms: ms }) => ms !== null && duration(ms) },
      ]}
    />
  );
});

/** Results with what their events leave out: asked for together, soon after they came. */
function useResults(runId: string, rows: readonly LiveResult[]): (resultId: string) => Result | undefined {
  const ids = useDebounced(rows.map(({ id }) => id).join(' '));
  const { data } = useQuery({
    ...namedResultsQuery(runId, ids === '' ? [] : ids.split(' ')),
    enabled: ids !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  const results = new Map(data?.items.map((result) => [result.id, result]));
  return (id) => results.get(id);
}
