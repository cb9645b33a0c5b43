import type { Experiment } from '#lib/contracts/experiment';
import { useAction } from '../../../../api/action';
import { changeExperiment, refreshExperiments } from '../../api';
import { NameDialog } from '../../../../ui/name-dialog';

/** The name of the experiment, and its hypothesis. */
export function EditDialog({ experiment, close }: { experiment: Experiment; close: () => void }) {
  const save = useAction(changeExperiment, async () => {
    close();
    await refreshExperiments();
  });
  return (
    <NameDialog
      title="Name and description"
      name={experiment.name}
      isNameRequired
      textLabel="Description"
      text={experiment.description}
      maxTextLength={10_000}
      action={save}
      save={(name, description) => save.mutate({ id: experiment.id, change: { name, description } })}
      close={close}
    />
  );
}
