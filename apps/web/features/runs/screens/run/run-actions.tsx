import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../../api/action';
import { refreshWork } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/buttons';
import { ErrorNotice } from '../../../../ui/notices';
import { isUnderWay } from '../../../../ui/status';
import { useCancel } from '../../../jobs/parts/use-cancel';
import { resumeRun } from '../../api';
import { RunCompare } from './run-compare';

/** The frequent actions on a run. Each state has as many, so that none moves. */
export function RunActions({ run }: { run: Run }) {
  return (
    <>
      {isUnderWay(run.status) ? <CancelRun run={run} /> : <RunCompare run={run} />}
      <Link to="/runs/new" search={{ from: run.id }} className="button primary">
        Run again
      </Link>
    </>
  );
}

function CancelRun({ run }: { run: Run }) {
  const refusal = useRefusal('editor');
  const cancel = useCancel();
  return (
    <>
      <AllowedButton refusal={refusal} disabled={cancel.isPending} onClick={() => cancel.mutate(run.job_id)}>
        Cancel
      </AllowedButton>
      {cancel.error && <ErrorNotice error={cancel.error} />}
    </>
  );
}

/** Repeats what errored, and sends what was not sent. */
export function ResumeRun({ run }: { run: Run }) {
  const refusal = useRefusal('editor');
  const resume = useAction(resumeRun, () => refreshWork(run.id));
  return (
    <>
      <button
        type="button"
        className="dense"
        disabled={refusal !== undefined || resume.isPending}
        title={refusal ?? 'Repeat what errored, and send the rest'}
        onClick={() => resume.mutate(run.id)}
      >
        Resume
      </button>
      {resume.error && <ErrorNotice error={resume.error} />}
    </>
  );
}
