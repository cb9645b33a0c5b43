import type { ReactNode } from 'react';
import type { JobStatus } from '#lib/contracts/job-status';
import { useAction } from '../../../api/action';
import { resumeJob } from '../api';
import { useCancel } from './use-cancel';
import { refreshWork } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { isUnderWay } from '../../../ui/status';

interface Props {
  work: { id: string; job_id: string; status: JobStatus };
  /** The control that creates a new one with the same settings. */
  again?: ReactNode;
}

/** The actions on a tune, a report or a gate run, by its state. */
export function WorkActions({ work, again }: Props) {
  const refusal = useRefusal('editor');
  const refresh = (): Promise<void> => refreshWork(work.id);
  const cancel = useCancel();
  const resume = useAction(resumeJob, refresh);
  const failure = cancel.error ?? resume.error;
  const goes = isUnderWay(work.status);
  return (
    <div>
      <div className="actions">
        {goes && (
          <AllowedButton refusal={refusal} disabled={cancel.isPending} onClick={() => cancel.mutate(work.job_id)}>
            Cancel
          </AllowedButton>
        )}
        {!goes && work.status !== 'completed' && (
          <AllowedButton
            refusal={refusal}
            disabled={resume.isPending}
            title="Continue where it stopped"
            onClick={() => resume.mutate(work.job_id)}
          >
            Resume
          </AllowedButton>
        )}
        {again}
      </div>
      {failure && <ErrorNotice error={failure} />}
    </div>
  );
}
