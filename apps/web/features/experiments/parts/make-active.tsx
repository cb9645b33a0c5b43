import { useAction } from '../../../api/action';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { undo } from '../../../ui/undo';
import { changeExperiment, refreshExperiments } from '../api';

/** Takes an experiment out of the archive, so that it accepts runs again. */
export function MakeActive({ experimentId: id, name }: { experimentId: string; name: string }) {
  const refusal = useRefusal('editor');
  const archive = useAction(changeExperiment, refreshExperiments);
  const activate = useAction(changeExperiment, async () => {
    undo.offer({
      text: `${name} is active again.`,
      undo: () => archive.mutateAsync({ id, change: { status: 'archived' } }),
    });
    await refreshExperiments();
  });
  const isActive = activate.isSuccess && !archive.isSuccess;
  return (
    <>
      <AllowedButton
        className="dense"
        refusal={refusal}
        disabled={activate.isPending || isActive}
        onClick={() => activate.mutate({ id, change: { status: 'active' } })}
      >
        {isActive ? 'Active again' : 'Make it active'}
      </AllowedButton>
      {activate.error && <ErrorNotice error={activate.error} />}
    </>
  );
}
