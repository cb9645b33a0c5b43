import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Lane } from '#lib/contracts/lane';
import type { System } from '#lib/contracts/system';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/notices';
import { Skeleton } from '../../../ui/query-boundary';
import { count, percent } from '../../../ui/amounts';
import { DOWN, Mark, UP } from '../../../ui/status';
import { Table, type Column } from '../../../ui/table';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import { lanesQuery, pauseLane, systemQuery } from '../api';
import { LaneStatus, LaneTrouble } from '../parts/lane-trouble';
import css from '../parts/operate.module.css';
import { OperateNav } from '../parts/operate-nav';

/** Polling interval while lanes are visible. */
const REFRESH_MS = 3000;

/** Whether requests flow: the lanes, and the workers that send their requests. Errors end with the next poll. */
export function LanesScreen() {
  const { data, error, refetch } = useQuery({ ...lanesQuery, refetchInterval: REFRESH_MS });
  const system = useQuery(systemQuery);
  return (
    <>
      <h1>Lanes</h1>
      <OperateNav />
      <p>
        A lane is the queue of requests that share one set of limits: those of a provider credential, or of a model with
        its own limits.
      </p>
      <SystemFacts of={system} />
      {data && data.items.length > 0 && <LaneRows lanes={data.items} alive={system.data?.workers.alive} />}
      {data?.items.length === 0 && <NoLane />}
      {!data && (error ? <ErrorNotice error={error} retry={refetch} /> : <Skeleton rows={5} />)}
    </>
  );
}

const NoLane = () => (
  <Empty
    action={
      <Link to="/operate/providers/new" className="button primary">
        New provider
      </Link>
    }
  >
    No lanes yet. Each provider has one.
  </Empty>
);

/** How many workers are alive, and whether the stores respond. */
function SystemFacts({ of: { data: system, error, refetch } }: { of: UseQueryResult<System> }) {
  if (!system) return error ? <ErrorNotice error={error} retry={refetch} /> : <Skeleton rows={1} />;
  return (
    <>
      <div className="facts" role="group" aria-label="Installation">
        <Workers system={system} />
        <Store name="Redis" state={system.redis} />
        <Store name="Postgres" state={system.postgres} />
        <span className="muted">
          version <UserText text={system.version} max={50} />
        </span>
      </div>
      {system.workers.alive === 0 && (
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

interface LanesProps {
  lanes: Lane[];
  alive: number | null | undefined;
}

/** Each lane with its state and its load. */
function LaneRows({ lanes, alive }: LanesProps) {
  const refusal = useRefusal('owner');
  const pause = useAction(pauseLane, () => queryClient.invalidateQueries({ queryKey: keys.lanes }));
  return (
    <>
      {pause.isError && <ErrorNotice error={pause.error} />}
      {refusal && <p className="muted small">Lanes are paused and resumed by owners. {refusal}</p>}
      <Table
        label="List of lanes"
        className={`run-rows ${css.lanes}`}
        rows={lanes}
        keyOf={({ id }) => id}
        columns={[
          ...columnsOf(alive),
          {
            name: 'Actions',
            isNameHidden: true,
            cell: (lane) => (
              <button
                type="button"
                className="dense"
                disabled={refusal !== undefined || pause.isPending}
                title={refusal}
                aria-label={`${lane.paused_at ? 'Resume' : 'Pause'} the lane ${visible(lane.name.slice(0, 100))}`}
                onClick={() => pause.mutate({ id: lane.id, isPaused: lane.paused_at === null })}
              >
                {lane.paused_at ? 'Resume' : 'Pause'}
              </button>
            ),
          },
        ]}
      />
    </>
  );
}

const MOST_PROVIDERS = 10;

/** Links to the providers of a lane: several, if they share a credential. */
const LaneProviders = ({ lane: { providers } }: { lane: Lane }) =>
  providers.slice(0, MOST_PROVIDERS).map((providerKey) => (
    <div key={providerKey} className="small">
      <Link
        to="/operate/providers/$providerKey"
        params={{ providerKey }}
        aria-label={`Provider ${visible(providerKey)}`}
      >
        <UserText text={providerKey} max={63} />
      </Link>
    </div>
  ));

function LaneLimits({ limits }: { limits: Lane['limits'] }) {
  const { max_concurrency: atOnce, requests_per_minute: requests, tokens_per_minute: tokens } = limits;
  return (
    <span className="small">
      {count(atOnce)} concurrent
      {requests !== null && <div>{count(requests)} requests per minute</div>}
      {tokens !== null && <div>{count(tokens)} tokens per minute</div>}
    </span>
  );
}

const columnsOf = (alive: LanesProps['alive']): Column<Lane>[] => [
  {
    name: 'Lane',
    isHeading: true,
    className: 'named',
    cell: (lane) => (
      <>
        <UserLine text={lane.name} />
        <LaneProviders lane={lane} />
      </>
    ),
  },
  {
    name: 'State',
    className: css.state,
    cell: (lane) => (
      <>
        <LaneStatus lane={lane} alive={alive} /> <LaneTrouble lane={lane} alive={alive} />
      </>
    ),
  },
  {
    name: 'In flight',
    isNumber: true,
    title: 'Items held by workers, and requests in flight at the provider',
    cell: ({ in_flight: items, now }) => (
      <>
        {count(items)}
        {now && <div className="small muted">{count(now.requests_in_flight)} requests</div>}
      </>
    ),
  },
  { name: 'Waiting', isNumber: true, cell: ({ waiting }) => count(waiting) },
  { name: 'Backlog', isNumber: true, cell: ({ backlog }) => count(backlog) },
  { name: 'Limits', cell: ({ limits }) => <LaneLimits limits={limits} /> },
  {
    name: 'In use',
    isNumber: true,
    title: 'Share of the limits in use since the last 429 of the provider',
    cell: ({ now }) => now && percent(now.adaptive_factor),
  },
];
