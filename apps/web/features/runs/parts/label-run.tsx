import type { Run } from '#lib/contracts/run';
import { refreshWork } from '../../../api/query-client';
import { FormDialog } from '../../../ui/form/form-dialog';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { labelRun, type Labels } from '../api';

const LABELS: FormSchema<Labels> = [
  { text: 'name', label: 'Name', maxLength: 200, autoFocus: true },
  { longText: 'note', label: 'Note', maxLength: 2000, rows: 6 },
];
const trimmed = (text: string | null | undefined): string | null => text?.trim() || null;

/** Changes the name and the note of a run. */
export const LabelRun = ({ run: { id, name, note }, close }: { run: Run; close: () => void }) => (
  <FormDialog<Partial<Labels>>
    title="Name and note"
    action="Save"
    initial={{ name, note }}
    send={(typed, options) => labelRun(id, { name: trimmed(typed.name), note: trimmed(typed.note) }, options)}
    onDone={() => {
      close();
      return refreshWork(id);
    }}
    close={close}
  >
    <Fields of={LABELS} />
  </FormDialog>
);
