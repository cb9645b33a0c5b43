import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../../api/action';
import { cancelJob } from '../../../jobs/api';
import { refreshWork } from '../../../../api/refresh';
import { resumeRun } from '../../api/runs';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/allowed-button';
import { ErrorNotice } from '../../../../ui/error-notice';
import { RunDelete } from '../../parts/run-delete';
import { isUnderWay } from '../../../../ui/status';
import { ResultsLink } from './results-link';
import { RunCompare } from './run-compare';
import { RunExport } from './run-export';
import { RunRescore } from './run-rescore';

/** The actions on a run, by its state. */
export function RunActions({ run }: { run: Run }) {
  const navigate = useNavigate();
  const [isRescoring, setRescoring] = useState(false);
  const refusal = useRefusal('editor');
  const refresh = (): Promise<void> => refreshWork(run.id);
  const cancel = useAction(cancelJob, refresh);
  const resume = useAction(resumeRun, refresh);
  const { errored, settled, total } = run.counts;
  const failure = cancel.error ?? resume.error;
  const goes = isUnderWay(run.status);
  return (
    <div className="run-actions">
      <div className="actions">
        {settled > 0 && (
          <ResultsLink runId={run.id} className="button">
            Results
          </ResultsLink>
        )}
        {goes && (
          <AllowedButton refusal={refusal} disabled={cancel.isPending} onClick={() => cancel.mutate(run.job_id)}>
            Cancel
          </AllowedButton>
        )}
        {!goes && (errored > 0 || settled < total) && (
          <AllowedButton
            refusal={refusal}
            disabled={resume.isPending}
            title="Retry errored items and run the remaining ones"
            onClick={() => resume.mutate(run.id)}
          >
            Resume
          </AllowedButton>
        )}
        <Link to="/runs/new" search={{ from: run.id }} className="button">
          Run again
        </Link>
        {!goes && settled > errored && (
          <>
            <RunCompare run={run} />
            <AllowedButton refusal={refusal} onClick={() => setRescoring(true)}>
              Rescore
            </AllowedButton>
            <Link to="/judge/new" search={{ eval: run.id }} className="button">
              Judge
            </Link>
          </>
        )}
        <RunExport runId={run.id} />
        {!goes && <RunDelete run={run} onDone={() => void navigate({ to: '/runs' })} />}
      </div>
      {failure && <ErrorNotice error={failure} />}
      {isRescoring && <RunRescore run={run} close={() => setRescoring(false)} />}
    </div>
  );
}
