import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Lane } from '#lib/contracts/lane';
import { useAction } from '../../api/action';
import { pauseLane } from '../../api/lanes';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { useRefusal } from '../../api/session';
import { Failed } from '../../parts/failed';
import { Given, GivenLine, visible } from '../../parts/given';
import { LaneStatus, LaneTrouble } from '../../parts/lane-trouble';
import { count, percent } from '../../parts/score';

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
      {pause.isError && <Failed error={pause.error} />}
      {refusal && <p className="muted small">Lanes are paused and resumed by owners. {refusal}</p>}
      <div className="wide" tabIndex={0} role="region" aria-label="List of lanes">
        <table className="lane-rows">
          <thead>
            <tr>
              <th>Lane</th>
              <th>State</th>
              <th className="number">In flight</th>
              <th className="number">Waiting</th>
              <th className="number">Backlog</th>
              <th>Limits</th>
              <th className="number">In use</th>
              <th>
                <span className="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {lanes.map((lane) => (
              <LaneRow key={lane.id} lane={lane} alive={alive}>
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
              </LaneRow>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function LaneRow({ lane, alive, children }: { lane: Lane; alive: Props['alive']; children: ReactNode }) {
  return (
    <tr>
      <th scope="row" className="named">
        <GivenLine text={lane.name} />
        <LaneProviders lane={lane} />
      </th>
      <td className="state">
        <LaneStatus lane={lane} alive={alive} /> <LaneTrouble lane={lane} alive={alive} />
      </td>
      <td className="number" title="Items that workers have, and requests under way at the provider">
        {count(lane.in_flight)}
        {lane.now && <div className="small muted">{count(lane.now.requests_in_flight)} requests</div>}
      </td>
      <td className="number">{count(lane.waiting)}</td>
      <td className="number">{count(lane.backlog)}</td>
      <td>
        <LaneLimits limits={lane.limits} />
      </td>
      <td className="number" title="The share of the limits in use since the provider last said 429">
        {lane.now && percent(lane.now.adaptive_factor)}
      </td>
      <td>{children}</td>
    </tr>
  );
}

/** Links to the providers of a lane: several, if they share a credential. */
const LaneProviders = ({ lane: { providers } }: { lane: Lane }) =>
  providers.slice(0, MOST_PROVIDERS).map((providerKey) => (
    <div key={providerKey} className="small">
      <Link
        to="/operate/providers/$providerKey"
        params={{ providerKey }}
        aria-label={`Provider ${visible(providerKey)}`}
      >
        <Given text={providerKey} max={63} />
      </Link>
    </div>
  ));

function LaneLimits({ limits }: { limits: Lane['limits'] }) {
  const { max_concurrency: atOnce, requests_per_minute: requests, tokens_per_minute: tokens } = limits;
  return (
    <span className="small">
      {count(atOnce)} at once
      {requests !== null && <div>{count(requests)} requests a minute</div>}
      {tokens !== null && <div>{count(tokens)} tokens a minute</div>}
    </span>
  );
}
