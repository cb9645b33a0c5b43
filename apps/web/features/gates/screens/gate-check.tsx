import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Gate } from '#lib/gate/contract';
import { checkQuery } from '../api';
import { runsQuery } from '../../runs/api/runs';
import { ErrorNotice } from '../../../ui/error-notice';
import { GateAnswerView } from '../parts/gate-answer';
import { visible } from '../../../ui/user-text';
import { runName, shortRunName } from '../../runs/parts/run-link';
import { Skeleton } from '../../../ui/skeleton';
import { relativeTime } from '../../../ui/time';

const MAX_RUNS = 100;

/** The gate's decision on an existing run. Calls no model. */
export function GateCheck({ gate: { id, suite_id: suite } }: { gate: Gate }) {
  const { check } = useSearch({ from: '/signed-in/gates/$gateId' });
  const navigate = useNavigate();
  const runs = useQuery(runsQuery({ suite, statuses: ['completed'], limit: MAX_RUNS }));
  const isListed = runs.data?.items.some((run) => run.id === check);
  return (
    <section aria-labelledby="check" className="section">
      <h2 id="check">Check a run</h2>
      <label className="field">
        <span className="label">Run of the suite</span>
        <select
          className="bounded"
          value={check ?? ''}
          onChange={({ target }) =>
            void navigate({
              to: '/gates/$gateId',
              params: { gateId: id },
              search: { check: target.value || undefined },
            })
          }
        >
          <option value="">choose</option>
          {check !== undefined && !isListed && <option value={check}>{shortRunName(check)}</option>}
          {runs.data?.items.map((run) => (
            <option key={run.id} value={run.id}>
              {visible(runName(run).slice(0, 100))}, {relativeTime(new Date(run.created_at))}
            </option>
          ))}
        </select>
        <span className="muted small">
          No model is called. Samples added since the last check count as another look.
        </span>
      </label>
      {check !== undefined && <CheckAnswer gateId={id} runId={check} />}
    </section>
  );
}

function CheckAnswer({ gateId, runId }: { gateId: string; runId: string }) {
  const { data, error, isPending, refetch } = useQuery(checkQuery(gateId, runId));
  if (isPending) return <Skeleton rows={5} label="Measuring" />;
  return (
    <>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data && <GateAnswerView answer={data} />}
    </>
  );
}
