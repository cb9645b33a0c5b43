import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LANES_REFRESH_MS, lanesQuery } from '../api/lanes';
import { systemQuery } from '../api/system';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { Skeleton } from '../../../ui/skeleton';
import './operate.css';
import { LaneRows } from './lane-rows';
import { OperateNav } from './operate-nav';
import { SystemFacts } from './system-facts';

/** Whether requests flow: the lanes, and the workers that send their requests. */
export function LanesScreen() {
  const lanes = useQuery({ ...lanesQuery, refetchInterval: LANES_REFRESH_MS });
  const system = useQuery(systemQuery);
  const { items = [] } = lanes.data ?? {};
  return (
    <>
      <h1>Lanes</h1>
      <OperateNav />
      <p>
        A lane is the queue of requests that share one set of limits: those of a provider credential, or of a model with
        its own limits.
      </p>
      <SystemFacts />
      {lanes.isError && <ErrorNotice error={lanes.error} retry={() => lanes.refetch()} />}
      {lanes.isPending && <Skeleton rows={5} />}
      {items.length > 0 && <LaneRows lanes={items} alive={system.data?.workers.alive} />}
      {lanes.data && items.length === 0 && (
        <Empty
          action={
            <Link to="/operate/providers/new" className="button primary">
              New provider
            </Link>
          }
        >
          No lanes yet. Each provider has one.
        </Empty>
      )}
    </>
  );
}
