import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ParamTune } from '#lib/param-tune/contract';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { DeleteDialog } from '../../../ui/dialog';
import { UserText } from '../../../ui/user-text';
import { WorkActions } from '../../jobs/parts/work-actions';

type Tune = Pick<ParamTune, 'id' | 'job_id' | 'status' | 'suite_name' | 'suite_version'>;

interface Props {
  tune: Tune;
  /** The link to a new tune with the same settings. */
  again: ReactNode;
  remove: (id: string, options: { idempotencyKey: string }) => Promise<void>;
  /** Which list to go to after deletion. */
  kind?: 'prompts';
  /** What is deleted with it, and what remains. */
  children: ReactNode;
}

/** The actions on a tune, by its state. */
export function TuneActions({ tune, again, ...deletion }: Props) {
  return (
    <WorkActions
      work={tune}
      again={again}
      deletion={(close) => <DeleteTuneDialog tune={tune} {...deletion} close={close} />}
    />
  );
}

function DeleteTuneDialog({ tune, remove: send, kind, children, close }: Omit<Props, 'again'> & { close: () => void }) {
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
        <UserText text={`${tune.suite_name}, version ${tune.suite_version}`} max={200} />
      </p>
      <p>{children} This cannot be undone.</p>
    </DeleteDialog>
  );
}
