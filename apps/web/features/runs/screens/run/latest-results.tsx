import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { count, percent } from '../../../../ui/amounts';
import { Table } from '../../../../ui/table';
import { duration } from '../../../../ui/time';
import { useDebounced } from '../../../../ui/debounced';
import { UserLine } from '../../../../ui/user-text';
import { ModelName } from '../../../providers/parts/model-name';
import { namedResultsQuery } from '../../../results/api';
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
  const nameOf = useCaseNames(runId, rows);
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
        { name: 'Score', isNumber: true, cell: ({ overall }) => overall !== null && percent(overall) },
        { name: 'Latency', isNumber: true, cell: ({ latency_ms: ms }) => ms !== null && duration(ms) },
      ]}
    />
  );
});

/** The names of the cases of results, which their events leave out: asked for together, soon after they came. */
function useCaseNames(runId: string, rows: readonly LiveResult[]): (resultId: string) => string | undefined {
  const ids = useDebounced(rows.map(({ id }) => id).join(' '));
  const { data } = useQuery({
    ...namedResultsQuery(runId, ids === '' ? [] : ids.split(' ')),
    enabled: ids !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  const names = new Map(data?.items.map(({ id, case_name: name, prompt }) => [id, name ?? prompt]));
  return (id) => names.get(id);
}
