import type { Lane } from '#lib/contracts/lane';
import { count } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';
import { stateOfLane } from './lane-state';
import { Mark } from '../../../ui/status';
import { Time } from '../../../ui/time';

interface Props {
  lane: Lane;
  alive: number | null | undefined;
}

/** The state of a lane in a word. */
export function LaneStatus({ lane, alive }: Props) {
  const { word, look, shape } = stateOfLane(lane, alive);
  return <Mark {...{ shape, look }}>{word}</Mark>;
}

const clock = (at: string): string => new Date(at).toLocaleTimeString();

/** The same in a sentence, with the provider's error. */
export function LaneTrouble({ lane, alive }: Props) {
  const { paused_at: pausedAt, now, backlog } = lane;
  const { word } = stateOfLane(lane, alive);
  if (word === 'paused')
    return (
      <span className="small">
        <Time at={pausedAt!} />
        {backlog > 0 && `, ${count(backlog)} ${backlog === 1 ? 'item waits' : 'items wait'}`}
      </span>
    );
  if (word === 'provider down')
    return (
      <span className="small">
        <Time at={now!.breaker.since!} />, next probe at {clock(now!.breaker.next_probe_at!)}:{' '}
        <UserText text={now!.breaker.error ?? 'no error given'} max={600} />
      </span>
    );
  if (word === 'blocked')
    return <span className="small">Until {clock(now!.blocked_until!)}, as the provider asked.</span>;
  if (word === 'no worker')
    return (
      <span className="small">
        {count(backlog)} {backlog === 1 ? 'item waits' : 'items wait'} for a worker.
      </span>
    );
  if (word === 'unknown') return <span className="small">Redis cannot be reached.</span>;
  return null;
}
