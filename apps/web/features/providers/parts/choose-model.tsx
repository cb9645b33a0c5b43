import { useQuery } from '@tanstack/react-query';
import { toText, type Json } from '#lib/contracts/json/json';
import { providersQuery } from '../api';
import type { Path } from '../../../ui/form/edited';
import { useField } from '../../../ui/form/json-form';
import { visible } from '../../../ui/user-text';
import { LabelledField } from '../../../ui/form/labelled-field';

interface Props {
  path: Path;
  label: string;
  help: string;
  /** The label and the value of no choice. */
  emptyWords?: string;
  whenEmpty?: Json;
}

/** One of the providers' models. */
export function ChooseModel({ path, label, help, emptyWords = 'choose', whenEmpty = '' }: Props) {
  const { data } = useQuery(providersQuery);
  const { value, errors, refusal, set } = useField(path);
  const chosen = toText(value ?? '');
  const providers = data?.items ?? [];
  const isListed = providers.some(({ key, models }) => models.some(({ id }) => `${key}::${id}` === chosen));
  return (
    <LabelledField label={label} help={help} faults={errors}>
      {(attributes) => (
        <select
          {...attributes}
          disabled={refusal !== undefined}
          title={refusal}
          value={chosen}
          onChange={({ target }) => set(target.value === '' ? whenEmpty : target.value)}
        >
          <option value="">{emptyWords}</option>
          {chosen !== '' && !isListed && <option value={chosen}>{visible(chosen.slice(0, 300))}</option>}
          {providers.map(({ key, name, models }) => (
            <optgroup key={key} label={visible(name)}>
              {models.map(({ id }) => (
                <option key={id} value={`${key}::${id}`}>
                  {visible(id)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
    </LabelledField>
  );
}
