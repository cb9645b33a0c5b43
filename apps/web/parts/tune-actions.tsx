import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { ParamTune } from '#lib/contracts/param-tune';
import { useAction } from '../api/action';
import { cancelJob, refreshWork } from '../api/jobs';
import { keys } from '../api/keys';
import { queryClient } from '../api/query-client';
import { useRefusal } from '../api/session';
import { resumeTune } from '../api/tunes';
import { AllowedButton } from './allowed-button';
import { DeleteDialog } from './dialog';
import { Failed } from './failed';
import { Given } from './given';
import { isUnderWay } from './status';

type Tune = Pick<ParamTune, 'id' | 'job_id' | 'status' | 'suite_name' | 'suite_version'>;

interface Props {
  tune: Tune;
  /** The link to a new one like it. */
  again: ReactNode;
  remove: (id: string, options: { idempotencyKey: string }) => Promise<void>;
  /** Which list to go to when it is deleted. */
  kind?: 'prompts';
  /** What goes when it is deleted, and what stays. */
  children: ReactNode;
}

/** What can be done with a tune in its state. */
export function TuneActions({ tune, again, ...deletion }: Props) {
  const refusal = useRefusal('editor');
  const [isDeleting, setDeleting] = useState(false);
  const refresh = (): Promise<void> => refreshWork(tune.id);
  const cancel = useAction(cancelJob, refresh);
  const resume = useAction(resumeTune, refresh);
  const failure = cancel.error ?? resume.error;
  const goes = isUnderWay(tune.status);
  return (
    <div>
      <div className="actions">
        {goes && (
          <AllowedButton refusal={refusal} disabled={cancel.isPending} onClick={() => cancel.mutate(tune.job_id)}>
            Cancel
          </AllowedButton>
        )}
        {!goes && tune.status !== 'completed' && (
          <AllowedButton
            refusal={refusal}
            disabled={resume.isPending}
            title="Goes on where it stopped"
            onClick={() => resume.mutate(tune.job_id)}
          >
            Resume
          </AllowedButton>
        )}
        {again}
        {!goes && (
          <AllowedButton refusal={refusal} onClick={() => setDeleting(true)}>
            Delete
          </AllowedButton>
        )}
      </div>
      {failure && <Failed error={failure} />}
      {isDeleting && <Deletion tune={tune} {...deletion} close={() => setDeleting(false)} />}
    </div>
  );
}

function Deletion({ tune, remove: send, kind, children, close }: Omit<Props, 'again'> & { close: () => void }) {
  const navigate = useNavigate();
  const remove = useAction(send, async () => {
    close();
    void navigate({ to: '/tunes', search: { kind } });
    queryClient.removeQueries({ queryKey: keys.tune(tune.id) });
    await queryClient.invalidateQueries({ queryKey: keys.tuneLists });
  });
  return (
    <DeleteDialog
      title="Delete this tune?"
      action="Delete the tune"
      isPending={remove.isPending}
      error={remove.error}
      act={() => remove.mutate(tune.id)}
      close={close}
    >
      <p>
        <Given text={`${tune.suite_name}, version ${tune.suite_version}`} max={200} />
      </p>
      <p>{children} This cannot be undone.</p>
    </DeleteDialog>
  );
}
