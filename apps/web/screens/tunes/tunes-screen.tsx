import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ParamTune } from '#lib/contracts/param-tune';
import { tunesQuery } from '../../api/tunes';
import { Empty } from '../../parts/empty';
import { Failed } from '../../parts/failed';
import { Given, GivenLine } from '../../parts/given';
import { count } from '../../parts/score';
import { Skeleton } from '../../parts/skeleton';
import { Status } from '../../parts/status';
import { Time } from '../../parts/time';
import { Outcome } from '../../parts/tune-outcome';
import './tunes.css';

/** The searches for settings: the newest first. */
export function TunesScreen() {
  const { after } = useSearch({ from: '/signed-in/tunes' });
  const tunes = useQuery(tunesQuery(after));
  const { items = [], next_cursor: next = null } = tunes.data ?? {};
  return (
    <>
      <div className="head">
        <h1>Tunes</h1>
        <Link to="/tunes/new" className="button primary">
          New tune
        </Link>
      </div>
      {tunes.isError && <Failed error={tunes.error} retry={() => tunes.refetch()} />}
      {tunes.isPending && <Skeleton rows={8} />}
      {items.length > 0 && <TuneRows tunes={items} />}
      {tunes.data && items.length === 0 && <NoTunes />}
      {(after !== undefined || next !== null) && (
        <nav className="actions" aria-label="Pages of tunes">
          {after !== undefined && (
            <Link to="/tunes" className="button">
              Newest
            </Link>
          )}
          {next !== null && (
            <Link to="/tunes" search={{ after: next }} className="button">
              Older
            </Link>
          )}
        </nav>
      )}
    </>
  );
}

const NoTunes = () => (
  <Empty
    action={
      <Link to="/tunes/new" className="button primary">
        New tune
      </Link>
    }
  >
    Here will be the tunes of the team: searches for the settings with which models call tools best.
  </Empty>
);

function TuneRows({ tunes }: { tunes: ParamTune[] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="List of tunes">
      <table className="tune-rows">
        <thead>
          <tr>
            <th>Suite</th>
            <th>Status</th>
            <th>Mode</th>
            <th className="number">Combinations</th>
            <th>Models, and what was found</th>
            <th>Submitted</th>
          </tr>
        </thead>
        <tbody>
          {tunes.map((tune) => (
            <TuneRow key={tune.id} tune={tune} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TuneRow({ tune }: { tune: ParamTune }) {
  return (
    <tr>
      <td className="named">
        <Link to="/tunes/$tuneId" params={{ tuneId: tune.id }}>
          <GivenLine text={`${tune.suite_name}, version ${tune.suite_version}`} />
        </Link>
      </td>
      <td>
        <Status status={tune.status} />
      </td>
      <td>{tune.input.mode}</td>
      <td className="number">{count(tune.targets.reduce((sum, { arms }) => sum + arms, 0))}</td>
      <td>
        <Found targets={tune.targets} />
      </td>
      <td>
        <Time at={tune.created_at} />
      </td>
    </tr>
  );
}

const SHOWN = 5;

function Found({ targets }: { targets: ParamTune['targets'] }) {
  return (
    <ul className="found">
      {targets.slice(0, SHOWN).map(({ target, outcome, text }) => (
        <li key={target}>
          <div className="model">
            <GivenLine text={target} />
            {outcome !== null && <Outcome outcome={outcome} />}
          </div>
          {text !== null && (
            <div className="small muted">
              <Given text={text} max={300} />
            </div>
          )}
        </li>
      ))}
      {targets.length > SHOWN && <li className="muted">and {targets.length - SHOWN} more</li>}
    </ul>
  );
}
