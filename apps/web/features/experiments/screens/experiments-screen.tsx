import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Experiment } from '#lib/contracts/experiment';
import { Empty } from '../../../ui/empty';
import { FilterChoice } from '../../../ui/filters';
import { Head } from '../../../ui/head';
import { List } from '../../../ui/list';
import { count, percent } from '../../../ui/amounts';
import type { Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { useHidden } from '../../../ui/undo';
import { UserLine } from '../../../ui/user-text';
import { SuiteFilter } from '../../suites/parts/choose-suite';
import { SuiteName } from '../../suites/parts/suite-name';
import type { ExperimentsSearch } from '../address';
import { experimentsQuery } from '../api';
import { StandingChip } from '../parts/standing-chip';

/** Related runs: whether scores have improved, and since when. */
export function ExperimentsScreen() {
  const search = useSearch({ from: '/signed-in/experiments' });
  const { status, suite, after } = search;
  const hidden = useHidden();
  return (
    <>
      <Head title="Experiments" actions={<NewExperimentLink suite={suite} />} />
      <Filters search={search} />
      <List
        label="List of experiments"
        of="experiments"
        query={experimentsQuery(search)}
        after={after}
        className="run-rows"
        rowProps={({ id }) => ({ hidden: hidden.has(id) })}
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={
          <Empty action={<NewExperimentLink suite={suite} />}>
            {(status ?? suite ?? after)
              ? 'No experiments match.'
              : 'No experiments yet. An experiment compares runs of one suite with a baseline.'}
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

function Best({ best, baseline }: { best: Experiment['best']; baseline: string | null }) {
  if (!best) return null;
  return (
    <Link to="/runs/$runId" params={{ runId: best.eval_id }}>
      {percent(best.score)}
      {best.eval_id === baseline && ', the baseline'}
    </Link>
  );
}

const STATUSES = [
  ['archived', 'archived'],
  ['all', 'all'],
] as const;

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
  { name: 'Now', cell: (experiment) => <StandingChip of={experiment} /> },
  { name: 'Best', cell: ({ best, baseline_eval_id: baseline }) => <Best best={best} baseline={baseline} /> },
  { name: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
];
