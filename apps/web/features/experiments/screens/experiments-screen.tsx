import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Experiment } from '#lib/contracts/experiment';
import { Empty } from '../../../ui/empty';
import { deltaText } from '../../../ui/figures/delta';
import { FilterChoice } from '../../../ui/filters';
import { List } from '../../../ui/list';
import { count } from '../../../ui/amounts';
import type { Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { ComparisonMark } from '../../compare/parts/comparison-mark';
import { SuiteFilter } from '../../suites/parts/choose-suite';
import { SuiteName } from '../../suites/parts/suite-name';
import type { ExperimentsSearch } from '../address';
import { experimentsQuery } from '../api';

/** Related runs: whether scores have improved, and since when. */
export function ExperimentsScreen() {
  const search = useSearch({ from: '/signed-in/experiments' });
  const { status, suite, after } = search;
  return (
    <>
      <div className="head">
        <h1>Experiments</h1>
        <NewExperimentLink suite={suite} />
      </div>
      <Filters search={search} />
      <List
        label="List of experiments"
        of="experiments"
        query={experimentsQuery(search)}
        after={after}
        className="run-rows"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={
          <Empty action={<NewExperimentLink suite={suite} />}>
            {(status ?? suite ?? after)
              ? 'No experiments match.'
              : 'No experiments yet. An experiment collects runs of one suite, each compared with one baseline.'}
          </Empty>
        }
      />
    </>
  );
}

const NewExperimentLink = ({ suite }: { suite: string | undefined }) => (
  <Link to="/experiments/new" search={{ suite }} className="button primary">
    New experiment
  </Link>
);

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

function Best({ experiment: { best, baseline_eval_id: baseline } }: { experiment: Experiment }) {
  if (!best) return <span className="muted">none yet</span>;
  if (best.eval_id === baseline) return <span className="muted">is the baseline</span>;
  if (!best.comparison) return <span className="muted">not compared yet</span>;
  const { verdict, difference, ci } = best.comparison;
  return (
    <>
      <ComparisonMark verdict={verdict} /> {difference !== null && deltaText({ difference, interval: ci })}
    </>
  );
}

const STATUSES = [
  ['archived', 'archived'],
  ['all', 'all'],
] as const;

const SET_BY = { user: 'pinned', first_run: 'the first run' } as const;

const COLUMNS: Column<Experiment>[] = [
  {
    name: 'Experiment',
    className: 'named',
    cell: ({ id, name, status }) => (
      <>
        <Link to="/experiments/$experimentId" params={{ experimentId: id }}>
          <UserLine text={name} />
        </Link>
        {status === 'archived' && <span className="small muted">archived</span>}
      </>
    ),
  },
  { name: 'Suite', className: 'named', cell: ({ suite_name: suite }) => <SuiteName name={suite} /> },
  { name: 'Runs', isNumber: true, cell: ({ run_count: runs }) => count(runs) },
  {
    name: 'Baseline',
    cell: ({ baseline_eval_id: baseline, baseline_set_by: by }) =>
      baseline === null ? <span className="muted">none yet</span> : by && SET_BY[by],
  },
  { name: 'Best against the baseline', cell: (experiment) => <Best experiment={experiment} /> },
  { name: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
];
