import { useQuery } from '@tanstack/react-query';
import type { System } from '#lib/contracts/system';
import { systemQuery } from '../api/system';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText } from '../../../ui/user-text';
import { Skeleton } from '../../../ui/skeleton';
import { DOWN, Mark, UP } from '../../../ui/status';

/** How many workers are alive, and whether the stores respond. */
export function SystemFacts() {
  const { data, error, isPending, refetch } = useQuery(systemQuery);
  if (isPending) return <Skeleton rows={1} />;
  if (!data) return <ErrorNotice error={error} retry={refetch} />;
  return (
    <>
      <div className="facts" role="group" aria-label="Installation">
        <Workers system={data} />
        <Store name="Redis" state={data.redis} />
        <Store name="Postgres" state={data.postgres} />
        <span className="muted">
          version <UserText text={data.version} max={50} />
        </span>
      </div>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data.workers.alive === 0 && (
        <p className="notice">No worker is alive: submitted jobs wait until one starts. Nothing is lost.</p>
      )}
    </>
  );
}

function Workers({ system: { workers } }: { system: System }) {
  const { alive } = workers;
  if (alive === null) return <span className="muted">number of workers unknown</span>;
  return <Mark {...(alive > 0 ? UP : DOWN)}>{alive === 1 ? '1 worker' : `${alive} workers`} alive</Mark>;
}

const Store = ({ name, state }: { name: string; state: System['redis'] }) => (
  <Mark {...(state === 'up' ? UP : DOWN)}>
    {name} {state}
  </Mark>
);
