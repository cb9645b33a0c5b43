import type { GateRun } from '#lib/gate/contract';
import { useAction } from '../../api/action';
import { cancelJob, refreshWork, resumeJob } from '../../api/jobs';
import { useRefusal } from '../../api/session';
import { AllowedButton } from '../../parts/allowed-button';
import { Failed } from '../../parts/failed';
import { isUnderWay } from '../../parts/status';

/** The actions on a gate run, by its state. */
export function GateRunActions({ run }: { run: GateRun }) {
  const refusal = useRefusal('editor');
  const refresh = (): Promise<void> => refreshWork(run.id);
  const cancel = useAction(cancelJob, refresh);
  const resume = useAction(resumeJob, refresh);
  const failure = cancel.error ?? resume.error;
  const goes = isUnderWay(run.status);
  return (
    <div>
      <div className="actions">
        {goes && (
          <AllowedButton refusal={refusal} disabled={cancel.isPending} onClick={() => cancel.mutate(run.job_id)}>
            Cancel
          </AllowedButton>
        )}
        {!goes && run.status !== 'completed' && (
          <AllowedButton
            refusal={refusal}
            disabled={resume.isPending}
            title="Continues where it stopped"
            onClick={() => resume.mutate(run.job_id)}
          >
            Resume
          </AllowedButton>
        )}
      </div>
      {failure && <Failed error={failure} />}
    </div>
  );
}
