import { useQuery } from '@tanstack/react-query';
import { toText } from '#lib/contracts/json/json';
import { providersQuery } from '../../api/providers';
import { useField } from '../../parts/form/form';
import { visible } from '../../parts/given';
import { LabelledField } from '../../parts/set-up/labelled-field';

/** The model that writes the texts. */
export function ChooseMetaModel() {
  const { data } = useQuery(providersQuery);
  const { value, errors, refusal, set } = useField(['meta_model']);
  const chosen = toText(value ?? '');
  const providers = data?.items ?? [];
  const isListed = providers.some(({ key, models }) => models.some(({ id }) => `${key}::${id}` === chosen));
  return (
    <LabelledField
      label="Meta model"
      help="Writes the texts. It must be able to call tools; a strong model writes better ones."
      faults={errors}
    >
      {(attributes) => (
        <select
          {...attributes}
          disabled={refusal !== undefined}
          title={refusal}
          value={chosen}
          onChange={({ target }) => set(target.value)}
        >
          <option value="">choose</option>
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
