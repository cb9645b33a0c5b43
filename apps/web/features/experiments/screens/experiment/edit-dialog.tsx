import type { Experiment } from '#lib/contracts/experiment';
import { FormDialog } from '../../../../ui/form/form-dialog';
import { Fields, type FormSchema } from '../../../../ui/form/schema';
import { changeExperiment, refreshExperiments } from '../../api';

type Change = Pick<Experiment, 'name' | 'description'>;

/** The name of the experiment, and its hypothesis. */
export function EditDialog({
  experiment: { id, name, description },
  close,
}: {
  experiment: Experiment;
  close: () => void;
}) {
  return (
    <FormDialog<Change>
      title="Name and description"
      action="Save"
      initial={{ name, description }}
      send={(typed, options) => changeExperiment({ id, change: { ...typed, name: typed.name.trim() } }, options)}
      onDone={() => {
        close();
        return refreshExperiments();
      }}
      close={close}
    >
      <Fields of={FIELDS} />
    </FormDialog>
  );
}

const FIELDS: FormSchema<Change> = [
  { text: 'name', label: 'Name', maxLength: 200, isRequired: true, whenEmpty: '', autoFocus: true },
  { longText: 'description', label: 'Description', maxLength: 10_000, rows: 6, whenEmpty: '' },
];
