import { Link } from '@tanstack/react-router';
import type { Lane } from '#lib/contracts/lane';
import { useAction } from '../../../api/action';
import { pauseLane } from '../api/lanes';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText, UserLine, visible } from '../../../ui/user-text';
import { LaneStatus, LaneTrouble } from '../parts/lane-trouble';
import { count, percent } from '../../../ui/score';
import { Table, type Column } from '../../../ui/table';

const MOST_PROVIDERS = 10;

interface Props {
  lanes: Lane[];
  alive: number | null | undefined;
}

/** Each lane with its state and its load. */
export function LaneRows({ lanes, alive }: Props) {
  const refusal = useRefusal('owner');
  const pause = useAction(pauseLane, () => queryClient.invalidateQueries({ queryKey: keys.lanes }));
  return (
    <>
      {pause.isError && <ErrorNotice error={pause.error} />}
      {refusal && <p className="muted small">Lanes are paused and resumed by owners. {refusal}</p>}
      <Table
        label="List of lanes"
        className="lane-rows"
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

const columnsOf = (alive: Props['alive']): Column<Lane>[] => [
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
    className: 'state',
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
