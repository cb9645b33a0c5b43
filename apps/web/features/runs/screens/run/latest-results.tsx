import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { count, percent } from '../../../../ui/score';
import { duration } from '../../../../ui/time';
import { UserLine } from '../../../../ui/user-text';
import { Verdict } from '../../../results/parts/verdict';
import { NEWEST, type LiveResult, type LiveRunState } from '../../live';
import css from './run.module.css';

interface FrozenRows {
  rows: readonly LiveResult[];
  /** How many had been received when they were taken. */
  received: number;
}

/**
 * Results as they arrive. Rows are added below until the list is full; then it stays unchanged until the user asks for
 * the newest.
 */
export function LatestResults({ runId, live }: { runId: string; live: LiveRunState }) {
  const [kept, setKept] = useState<FrozenRows>();
  const isFull = kept !== undefined;
  if (!isFull && live.newest.length === NEWEST) setKept({ rows: live.newest, received: live.received });
  const rows = kept?.rows ?? live.newest;
  const more = kept ? live.received - kept.received : 0;
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="newest" className="section">
      <div className="head">
        <h3 id="newest">Newest results</h3>
        {more > 0 && (
          <button
            type="button"
            className="dense"
            onClick={() => setKept({ rows: live.newest, received: live.received })}
          >
            Show {count(more)} more
          </button>
        )}
      </div>
      <div className="wide">
        <table className={css.newest}>
          <thead>
            <tr>
              <th>Verdict</th>
              <th>Model</th>
              <th>Case</th>
              <th className="number">Score</th>
              <th className="number">Latency</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <NewestRow key={row.seq} runId={runId} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Rendered once: while results arrive, the list around it is rendered up to once a frame. */
const NewestRow = memo(function NewestRow({ runId, row }: { runId: string; row: LiveResult }) {
  return (
    <tr>
      <td>
        <Verdict of={row} />
      </td>
      <td className="named">
        <UserLine text={row.target} />
      </td>
      <td>
        <Link to="/runs/$runId/results/$resultId" params={{ runId, resultId: row.id }}>
          case {row.case_position + 1}
          {row.sample > 0 && `, sample ${row.sample + 1}`}
        </Link>
      </td>
      <td className="number">{row.overall === null ? '' : percent(row.overall)}</td>
      <td className="number">{row.latency_ms === null ? '' : duration(row.latency_ms)}</td>
    </tr>
  );
});
