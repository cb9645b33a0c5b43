import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Experiment } from '#lib/contracts/experiment';
import type { ExperimentsSearch } from '../address';
import { experimentsQuery } from '../api';
import { deltaText } from '../../../ui/figures/delta';
import { ComparisonMark } from '../../compare/parts/comparison-mark';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { FilterChoice } from '../../../ui/filter-choice';
import { UserLine } from '../../../ui/user-text';
import { count } from '../../../ui/score';
import { Skeleton } from '../../../ui/skeleton';
import { SuiteFilter } from '../../suites/parts/choose-suite';
import { SuiteName } from '../../suites/parts/suite-name';
import { Time } from '../../../ui/time';
import { PageLinks } from '../../../ui/page-links';
import { Table, type Column } from '../../../ui/table';

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
        <NewExperimentLink suite={suite} />
      </div>
      <Filters search={search} />
      {error && <ErrorNotice error={error} retry={refetch} />}
      {isPending && <Skeleton rows={8} />}
      {items.length > 0 && (
        <Table label="List of experiments" className="run-rows" rows={items} keyOf={({ id }) => id} columns={COLUMNS} />
      )}
      {data && items.length === 0 && (
        <Empty action={<NewExperimentLink suite={suite} />}>
          {(status ?? suite ?? after)
            ? 'No experiments match.'
            : 'No experiments yet. An experiment collects runs of one suite, each compared with one baseline.'}
        </Empty>
      )}
      <PageLinks of="experiments" after={after} next={next} />
    </>
  );
}

const NewExperimentLink = ({ suite }: { suite: string | undefined }) => (
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
