import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../../api/action';
import { refreshWork } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/buttons';
import { ErrorNotice } from '../../../../ui/notices';
import { ExportAs } from '../../../../ui/export-as';
import { isUnderWay } from '../../../../ui/status';
import { cancelJob } from '../../../jobs/api';
import { EXPORT_FORMATS, exportPath, resumeRun } from '../../api';
import { RunDelete } from '../../parts/run-delete';
import { ResultsLink } from '../../parts/run-link';
import { RunCompare } from './run-compare';
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
    <div>
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
        {!goes && settled > errored && <OnScored run={run} refusal={refusal} rescore={() => setRescoring(true)} />}
        <ExportAs
          files={EXPORT_FORMATS.map(([format, name, extension]) => ({
            format,
            name,
            path: exportPath(run.id, format),
            fileName: `toolmark-${run.id}.${extension}`,
          }))}
        />
        {!goes && <RunDelete run={run} onDone={() => navigate({ to: '/runs' })} />}
      </div>
      {failure && <ErrorNotice error={failure} />}
      {isRescoring && <RunRescore runId={run.id} close={() => setRescoring(false)} />}
    </div>
  );
}

/** What can be done with scored results. */
const OnScored = ({ run, refusal, rescore }: { run: Run; refusal: string | undefined; rescore: () => void }) => (
  <>
    <RunCompare run={run} />
    <AllowedButton refusal={refusal} onClick={rescore}>
      Rescore
    </AllowedButton>
    <Link to="/judge/new" search={{ eval: run.id }} className="button">
      Judge
    </Link>
  </>
);
