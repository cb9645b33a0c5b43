import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import { Bar } from './bar';
import { GivenLine } from './given';
import { count, Score } from './score';
import { isUnderWay, Status } from './status';
import { Time } from './time';
import { topModel } from './top-model';
import './runs.css';

/** Runs, newest first. `more` adds a cell to each row. */
export function RunRows({ runs, more }: { runs: Run[]; more?: (run: Run) => ReactNode }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="List of runs">
      <table className="run-rows">
        <thead>
          <tr>
            <th>Run</th>
            <th>Status</th>
            <th>Best model</th>
            <th>Score</th>
            <th className="number">Models</th>
            <th>Submitted</th>
            {more && (
              <th>
                <span className="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} more={more} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunRow({ run, more }: { run: Run; more: ((run: Run) => ReactNode) | undefined }) {
  const top = topModel(run);
  return (
    <tr>
      <td className="named">
        <Link to="/runs/$runId" params={{ runId: run.id }}>
          <GivenLine text={run.name ?? `${run.suite.name}, version ${run.suite.version}`} />
        </Link>
        {run.name !== null && (
          <span className="small muted">
            <GivenLine text={`${run.suite.name}, version ${run.suite.version}`} />
          </span>
        )}
        {run.note !== null && (
          <span className="small muted">
            <GivenLine text={run.note} />
          </span>
        )}
      </td>
      <td>
        <Status status={run.status} />
        {isUnderWay(run.status) && (
          <Bar done={run.counts.settled} total={run.counts.total} label="Results of the run so far" />
        )}
      </td>
      <td className="named">{top ? <GivenLine text={top.target} /> : <span className="muted">none yet</span>}</td>
      <td>
        {top ? (
          <Score mean={top.overall} ci={top.overall_ci} scored={top.scored} errored={run.counts.errored} />
        ) : (
          run.counts.errored > 0 && <span className="errored-count">{count(run.counts.errored)} errored</span>
        )}
      </td>
      <td className="number">{run.targets.length}</td>
      <td>
        <Time at={run.created_at} />
        {run.submitted_by !== null && (
          <span className="small muted">
            <GivenLine text={`by ${run.submitted_by}`} max={60} />
          </span>
        )}
      </td>
      {more && <td>{more(run)}</td>}
    </tr>
  );
}
