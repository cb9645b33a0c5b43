import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lanesQuery, systemQuery } from '../../operate/api';
import { UserText } from '../../../ui/user-text';
import { stateOfLane } from '../../operate/parts/lane-state';
import { LaneStatus, LaneTrouble } from '../../operate/parts/lane-trouble';
import { count } from '../../../ui/score';

const REFRESH_MS = 10_000;
const SHOWN = 10;

/** Lanes that send nothing, with the reason; renders nothing when all is well. */
export function LaneProblems() {
  const { data: lanes } = useQuery({ ...lanesQuery, refetchInterval: REFRESH_MS });
  const { data: system } = useQuery(systemQuery);
  const alive = system?.workers.alive;
  const troubled = (lanes?.items ?? []).filter((lane) => stateOfLane(lane, alive).isTrouble);
  const isDown = system?.redis === 'down';
  if (troubled.length === 0 && !isDown) return null;
  return (
    <section aria-labelledby="in-trouble" className="section">
      <div className="head">
        <h2 id="in-trouble">Problems</h2>
        <Link to="/operate/lanes">All lanes</Link>
      </div>
      {isDown && <p className="notice">Redis is unreachable. No requests are sent to models until it is back.</p>}
      {troubled.length > 0 && (
        <ul className="jobs" aria-label="Lanes with problems">
          {troubled.slice(0, SHOWN).map((lane) => (
            <li key={lane.id}>
              <span>
                <LaneStatus lane={lane} alive={alive} /> <UserText text={lane.name} max={100} />{' '}
                {lane.backlog > 0 && <span className="small muted">{count(lane.backlog)} items waiting </span>}
                <LaneTrouble lane={lane} alive={alive} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {troubled.length > SHOWN && <p className="muted">{count(troubled.length - SHOWN)} more.</p>}
    </section>
  );
}
