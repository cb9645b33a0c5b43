import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Experiment } from '#lib/contracts/experiment';
import type { ExperimentsSearch } from '../../address/experiments';
import { experimentsQuery } from '../../api/experiments';
import { deltaText } from '../../figures/delta';
import { Compared } from '../../parts/compared';
import { Empty } from '../../parts/empty';
import { Failed } from '../../parts/failed';
import { FilterChoice } from '../../parts/filter-choice';
import { GivenLine } from '../../parts/given';
import { count } from '../../parts/score';
import { Skeleton } from '../../parts/skeleton';
import { SuiteFilter } from '../../parts/suite-filter';
import { Time } from '../../parts/time';
import './experiments.css';

/** Related runs: whether scores have improved, and since when. */
export function ExperimentsScreen() {
  const search = useSearch({ from: '/signed-in/experiments' });
  const { status, suite, after } = search;
  const { data, error, isPending, refetch } = useQuery(experimentsQuery(search));
  const { items = [], next_cursor: next = null } = data ?? {};
  return (
    <>
      <div className="head">
        <h1>Experiments</h1>
        <New suite={suite} />
      </div>
      <Filters search={search} />
      {error && <Failed error={error} retry={refetch} />}
      {isPending && <Skeleton rows={8} />}
      {items.length > 0 && <Rows experiments={items} />}
      {data && items.length === 0 && (
        <Empty action={<New suite={suite} />}>
          {(status ?? suite ?? after)
            ? 'No experiment is like that.'
            : 'Here will be the experiments of the team: runs of one suite, each compared with one baseline.'}
        </Empty>
      )}
      {(after !== undefined || next !== null) && (
        <nav className="actions" aria-label="Pages of experiments">
          {after !== undefined && (
            <Link to="/experiments" search={{ ...search, after: undefined }} className="button">
              Newest
            </Link>
          )}
          {next !== null && (
            <Link to="/experiments" search={{ ...search, after: next }} className="button">
              Older
            </Link>
          )}
        </nav>
      )}
    </>
  );
}

const New = ({ suite }: { suite: string | undefined }) => (
  <Link to="/experiments/new" search={{ suite }} className="button primary">
    New experiment
  </Link>
);

const STATUSES = [
  ['archived', 'archived'],
  ['all', 'all'],
] as const;

function Filters({ search }: { search: ExperimentsSearch }) {
  const navigate = useNavigate();
  const { status, suite } = search;
  const narrow = (change: Partial<ExperimentsSearch>): void =>
    void navigate({ to: '/experiments', search: { ...search, after: undefined, ...change } });
  return (
    <div className="actions" role="search" aria-label="Filter of experiments">
      <SuiteFilter suite={suite} choose={(chosen) => narrow({ suite: chosen })} />
      <FilterChoice
        label="Status"
        choices={STATUSES}
        none="active"
        value={status}
        choose={(chosen) => narrow({ status: chosen as ExperimentsSearch['status'] })}
      />
    </div>
  );
}

function Rows({ experiments }: { experiments: Experiment[] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="List of experiments">
      <table className="experiment-rows">
        <thead>
          <tr>
            <th>Experiment</th>
            <th>Suite</th>
            <th className="number">Runs</th>
            <th>Baseline</th>
            <th>Best against the baseline</th>
            <th>Changed</th>
          </tr>
        </thead>
        <tbody>
          {experiments.map((experiment) => (
            <Row key={experiment.id} experiment={experiment} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const SET_BY = { user: 'pinned', first_run: 'the first run' } as const;

function Row({ experiment }: { experiment: Experiment }) {
  const { id, name, status, suite_name: suite, run_count: runs, updated_at: at } = experiment;
  const { baseline_eval_id: baseline, baseline_set_by: by } = experiment;
  return (
    <tr>
      <td className="named">
        <Link to="/experiments/$experimentId" params={{ experimentId: id }}>
          <GivenLine text={name} />
        </Link>
        {status === 'archived' && <span className="small muted">archived</span>}
      </td>
      <td className="named">{suite === null ? <span className="muted">deleted</span> : <GivenLine text={suite} />}</td>
      <td className="number">{count(runs)}</td>
      <td>{baseline === null ? <span className="muted">none yet</span> : by && SET_BY[by]}</td>
      <td>
        <Best experiment={experiment} />
      </td>
      <td>
        <Time at={at} />
      </td>
    </tr>
  );
}

function Best({ experiment: { best, baseline_eval_id: baseline } }: { experiment: Experiment }) {
  if (!best) return <span className="muted">none yet</span>;
  if (best.eval_id === baseline) return <span className="muted">is the baseline</span>;
  if (!best.comparison) return <span className="muted">not compared yet</span>;
  const { verdict, difference, ci } = best.comparison;
  return (
    <>
      <Compared verdict={verdict} /> {difference !== null && deltaText({ difference, interval: ci })}
    </>
  );
}
