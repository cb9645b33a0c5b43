import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Lane } from '#lib/contracts/lane';
import type { System } from '#lib/contracts/system';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { Empty } from '../../../ui/empty';
import { Head } from '../../../ui/head';
import { Hint } from '../../../ui/hint';
import { ErrorNotice } from '../../../ui/notices';
import { Skeleton } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { Bar, DOWN, Mark, UP } from '../../../ui/status';
import { Table, type Column } from '../../../ui/table';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import { lanesQuery, pauseLane, systemQuery } from '../api';
import { LaneStatus, LaneTrouble } from '../parts/lane-trouble';
import css from '../parts/operate.module.css';
import { OPERATE, OperateNav } from '../parts/operate-nav';
import { MinuteBars } from './minute-bars';
import { PauseLane } from './pause-lane';
import { WaitingPeople } from './waiting-people';

/** Polling interval while lanes are visible. */
const REFRESH_MS = 3000;

/** Whether requests flow: the lanes, and the workers that send their requests. Errors end with the next poll. */
export function LanesScreen() {
  const { data, error, refetch } = useQuery({ ...lanesQuery, refetchInterval: REFRESH_MS });
  const system = useQuery(systemQuery);
  return (
    <>
      <Head title="Lanes" trail={OPERATE} />
      <OperateNav />
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
        <span className="small muted">
          <UserText text={system.version} max={50} />
        </span>
        {system.sealing && <SealingKey sealing={system.sealing} />}
      </div>
      {system.sealing && system.sealing.missing.length > 0 && (
        <p className="notice">
          {`What the sealing key ${system.sealing.missing.join(' and ')} has sealed cannot be opened. Add it at the ` +
            'end of TOOLMARK_SEALING_KEYS, or enter those keys again.'}
        </p>
      )}
      {system.workers.alive === 0 && (
        <p className="notice">No worker is alive: submitted jobs wait until one starts. Nothing is lost.</p>
      )}
    </>
  );
}

/** For operators: how far a rotation of the sealing key is. */
function SealingKey({ sealing: { keys: ids, left } }: { sealing: NonNullable<System['sealing']> }) {
  const secrets = left === 1 ? '1 secret' : `${count(left)} secrets`;
  return (
    <span className="small muted">
      sealing key {ids[0]}
      {left > 0 && `, ${secrets} to seal again`}
    </span>
  );
}

function Workers({ system: { workers } }: { system: System }) {
  const { alive } = workers;
  if (alive === null) return <span className="muted">number of workers unknown</span>;
  return <Mark {...(alive > 0 ? UP : DOWN)}>{alive === 1 ? '1 worker' : `${count(alive)} workers`}</Mark>;
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
  const [asked, ask] = useState<Lane>();
  const resume = useAction(pauseLane, () => queryClient.invalidateQueries({ queryKey: keys.lanes }));
  const act = (lane: Lane): void =>
    lane.paused_at === null ? ask(lane) : resume.mutate({ id: lane.id, isPaused: false });
  return (
    <>
      {resume.isError && <ErrorNotice error={resume.error} />}
      <Table
        label="List of lanes"
        className={`run-rows ${css.lanes}`}
        rows={lanes}
        hasCards
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
                disabled={refusal !== undefined || resume.isPending}
                title={refusal}
                aria-label={`${lane.paused_at ? 'Resume' : 'Pause'} the lane ${visible(lane.name.slice(0, 100))}`}
                onClick={() => act(lane)}
              >
                {lane.paused_at ? 'Resume' : 'Pause'}
              </button>
            ),
          },
        ]}
      />
      {asked && <PauseLane lane={asked} close={() => ask(undefined)} />}
    </>
  );
}

/** The name of a lane, which is that of its only provider in most teams. */
function LaneName({ lane: { name, providers } }: { lane: Lane }) {
  if (providers.length !== 1 || providers[0] !== name) return <UserLine text={name} />;
  return (
    <Link to="/operate/providers/$providerKey" params={{ providerKey: name }} aria-label={`Provider ${visible(name)}`}>
      <UserLine text={name} />
    </Link>
  );
}

const MOST_PROVIDERS = 10;

/** Links to the providers of a lane: several, if they share a credential. */
const LaneProviders = ({ lane: { providers, name } }: { lane: Lane }) =>
  (providers.length === 1 && providers[0] === name ? [] : providers).slice(0, MOST_PROVIDERS).map((providerKey) => (
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

/** How much of a lane is in use: "3 of 16". */
function InUse({ lane: { now, limits } }: { lane: Lane }) {
  if (!now) return <span className="muted">of {count(limits.max_concurrency)}</span>;
  const { requests_in_flight: inUse, allowed_at_once: allowed } = now;
  return (
    <div className={css.use}>
      {count(inUse)} of {count(allowed)}
      <Bar done={inUse} total={allowed} label="Requests at once" />
      {allowed < limits.max_concurrency && (
        <span className="small muted">limit {count(limits.max_concurrency)}, slowed by the provider</span>
      )}
    </div>
  );
}

function LaneLimits({ limits }: { limits: Lane['limits'] }) {
  const { requests_per_minute: requests, tokens_per_minute: tokens } = limits;
  if (requests === null && tokens === null) return <span className="muted">none</span>;
  return (
    <span className="small">
      {requests !== null && <div>{count(requests)} requests</div>}
      {tokens !== null && <div>{count(tokens)} tokens</div>}
    </span>
  );
}

/** Unfinished items that are not at the provider: with those in use, they are all. */
const waitingOn = ({ backlog, now }: Lane): number => Math.max(0, backlog - (now?.requests_in_flight ?? 0));

const columnsOf = (alive: LanesProps['alive']): Column<Lane>[] => [
  {
    name: <Hint term="lane">Lane</Hint>,
    isHeading: true,
    className: 'named',
    cell: (lane) => (
      <>
        <LaneName lane={lane} />
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
  { name: 'At once', cell: (lane) => <InUse lane={lane} /> },
  { name: 'Waiting', cell: (lane) => <WaitingPeople lane={lane} waiting={waitingOn(lane)} /> },
  { name: 'Last 15 minutes', cell: ({ now }) => now && <MinuteBars results={now.results_by_minute} /> },
  { name: 'Per minute', onPhone: 'hidden', cell: ({ limits }) => <LaneLimits limits={limits} /> },
];
