import type { Run } from '#lib/contracts/run';
import { Bar } from '../../../../ui/status';
import { count } from '../../../../ui/amounts';
import { Table } from '../../../../ui/table';
import { ModelName } from '../../../providers/parts/model-name';
import { JobProgress } from '../../../jobs/parts/job-progress';
import type { LiveRunState } from '../../live';
import { LatestResults } from './latest-results';
import css from './run.module.css';

/** The progress of a run, and what it is waiting for. The figures come from the server: the page counts no events. */
export function RunProgress({ run, live }: { run: Run; live: LiveRunState }) {
  // Results are only ever added, so the response with more results is newer.
  const isLiveNewer = (live.progress?.current ?? -1) >= run.counts.settled;
  const targets = isLiveNewer && live.progress!.targets.length > 0 ? live.progress!.targets : run.targets;
  const counts = {
    done: isLiveNewer ? live.progress!.current : run.counts.settled,
    total: isLiveNewer ? live.progress!.total : run.counts.total,
    errored: targets.reduce((sum, target) => sum + target.errored, 0),
  };
  return (
    <div className="section">
      <JobProgress work={run} live={live} label="Results of the run" unit="results" counts={counts} />
      <Table
        label="Progress of each model"
        className={css.progress}
        rows={targets}
        keyOf={({ target }) => target}
        columns={[
          { name: 'Model', isHeading: true, className: 'named', cell: ({ target }) => <ModelName target={target} /> },
          {
            name: 'Progress',
            cell: ({ settled, total }) => <Bar done={settled} total={total} label="Results of the model" />,
          },
          { name: 'Results', isNumber: true, cell: ({ settled, total }) => `${count(settled)} / ${count(total)}` },
          { name: 'Passed', isNumber: true, cell: ({ passed }) => count(passed) },
          { name: 'Errored', isNumber: true, cell: ({ errored }) => errored > 0 && count(errored) },
        ]}
      />
      <LatestResults runId={run.id} live={live} />
    </div>
  );
}
