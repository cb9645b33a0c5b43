import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ParamTune } from '#lib/contracts/param-tune';
import { useAction } from '../../api/action';
import { cancelJob, refreshWork } from '../../api/jobs';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { useRefusal } from '../../api/session';
import { deleteTune, resumeTune } from '../../api/tunes';
import { AllowedButton } from '../../parts/allowed-button';
import { DeleteDialog } from '../../parts/dialog';
import { Failed } from '../../parts/failed';
import { Given } from '../../parts/given';
import { count } from '../../parts/score';
import { isUnderWay } from '../../parts/status';

/** What can be done with a tune in its state. */
export function TuneActions({ tune }: { tune: ParamTune }) {
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
        <Link to="/tunes/new" search={{ from: tune.id }} className="button">
          Tune again
        </Link>
        {!goes && (
          <AllowedButton refusal={refusal} onClick={() => setDeleting(true)}>
            Delete
          </AllowedButton>
        )}
      </div>
      {failure && <Failed error={failure} />}
      {isDeleting && <Deletion tune={tune} close={() => setDeleting(false)} />}
    </div>
  );
}

function Deletion({ tune, close }: { tune: ParamTune; close: () => void }) {
  const navigate = useNavigate();
  const remove = useAction(deleteTune, async () => {
    close();
    void navigate({ to: '/tunes' });
    queryClient.removeQueries({ queryKey: keys.tune(tune.id) });
    await queryClient.invalidateQueries({ queryKey: keys.tuneLists });
  });
  const arms = tune.targets.reduce((sum, target) => sum + target.arms, 0);
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
      <p>
        Its {count(arms)} combinations go with it, and the runs that measured them with their results, requests and
        replies. {tune.promoted_eval_id !== null && 'The run of the winner in its experiment stays. '}This cannot be
        undone.
      </p>
    </DeleteDialog>
  );
}
