import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import { Chip } from '../../../ui/chip';
import { Strip } from '../../../ui/figures/strip';
import { percent } from '../../../ui/amounts';
import { Bar, isUnderWay, Status } from '../../../ui/status';
import { Table, type Column } from '../../../ui/table';
import { duration, Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { useModelLabel } from '../../providers/parts/model-name';
import { Against } from './against';
import { BestScore } from './best-score';
import { costText } from './run-cost';
import { isModel } from './run-score';
import css from './run-rows.module.css';

/** Runs, newest first. `more` adds a cell to each row. */
export function RunRows({ runs, more }: { runs: Run[]; more?: (run: Run) => ReactNode }) {
  return (
    <Table
      label="List of runs"
      className="run-rows"
      hasCards
      rows={runs}
      keyOf={({ id }) => id}
      columns={[...runColumns(), ...(more ? [{ name: 'Actions', isNameHidden: true, cell: more }] : [])]}
    />
  );
}

export type RunColumn = Column<Run> & { name: string };

/** What lists of runs show of each. @param model the model of a filter, whose scores are shown */
export const runColumns = (model?: string): RunColumn[] => [
  { name: 'Run', className: `named ${css.run}`, onPhone: 'title', cell: (run) => <RunName run={run} /> },
  { name: 'Scores', onPhone: 'hidden', cell: (run) => <RunStrip run={run} model={model} /> },
  {
    name: 'Best',
    className: css.best,
    cell: (run) => <BestScore run={run} model={model} isNamed={model === undefined} />,
  },
  { name: 'Change', cell: (run) => <Against of={run} /> },
  { name: 'Cost', isNumber: true, cell: (run) => costText(run) },
  {
    name: 'Took',
    isNumber: true,
    onPhone: 'hidden',
    cell: ({ actual }) => actual && duration(actual.duration_s * 1000),
  },
  { name: 'Errored', isNumber: true, cell: (run) => <ErroredShare run={run} /> },
  { name: 'Age', className: css.age, cell: ({ created_at: at, submitted_by: by }) => <Age at={at} by={by} /> },
];

function RunName({ run }: { run: Run }) {
  const { name, suite, note, status, counts } = run;
  const about = [name === null ? `version ${suite.version}` : `${suite.name}, version ${suite.version}`, note];
  return (
    <>
      <span className={css.name}>
        <Link to="/runs/$runId" params={{ runId: run.id }}>
          <UserLine text={name ?? suite.name} />
        </Link>
        {status !== 'completed' && <Status status={status} />}
      </span>
      <span className={`small muted ${css.about}`}>
        {run.experiment_id !== null && (
          <Link to="/experiments/$experimentId" params={{ experimentId: run.experiment_id }}>
            <UserLine text={run.experiment_name ?? 'experiment'} max={60} />
          </Link>
        )}
        <UserLine text={about.filter((one) => one !== null).join(' · ')} />
      </span>
      {isUnderWay(status) && <Bar done={counts.settled} total={counts.total} label="Results of the run so far" />}
    </>
  );
}

/** The scores of the run's models. The one that is filtered by stands out, else the best, or all that tie for it. */
function RunStrip({ run, model }: { run: Pick<Run, 'summaries' | 'top'>; model?: string }) {
  const labelOf = useModelLabel();
  const models = run.summaries.flatMap(({ target, overall, overall_ci: ci }) =>
    overall === null ? [] : [{ target, name: labelOf(target), mean: overall, ci }],
  );
  if (models.length === 0) return <span className={css.noStrip} />;
  const asked = model === undefined ? undefined : models.find(({ target }) => isModel(target, model));
  const best = model === undefined ? (run.top?.targets ?? []) : asked ? [asked.target] : [];
  return <Strip models={models} highlighted={new Set(best)} />;
}

const ErroredShare = ({ run: { counts } }: { run: Run }) =>
  counts.errored > 0 && <Chip kind="errored">{percent(counts.errored / counts.settled)}</Chip>;

const Age = ({ at, by }: { at: string; by: string | null }) => (
  <span title={by === null ? undefined : `by ${by}`}>
    <Time at={at} />
  </span>
);
