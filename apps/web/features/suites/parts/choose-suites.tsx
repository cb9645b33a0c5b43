import { useState } from 'react';
import { Combobox, useLookup, type Option } from '../../../ui/combobox';
import { textsOf } from '../../../ui/form/form-request';
import { type At, LabelledField, useField } from '../../../ui/form/json-form';
import { Icon, X } from '../../../ui/icons';
import { UserLine, visible } from '../../../ui/user-text';
import { suiteChoicesQuery } from '../api';
import css from './choose-suites.module.css';

interface Props {
  path: At;
  label: string;
  help?: string;
  max: number;
}

/** Several suites, found by typing. Its value is their ids, null for none. */
export function ChooseSuites({ path, label, help, max }: Props) {
  const { value, errors, refusal, set } = useField(path);
  const chosen = textsOf(value);
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const lookup = useLookup(suiteChoicesQuery, ({ id, name }): Option => ({ value: id, name }));
  const change = (ids: string[]): void => set(ids.length === 0 ? null : ids);
  const add = (id: string): void => {
    const name = lookup.options.find((option) => option.value === id)?.name;
    if (name === undefined || chosen.includes(id)) return;
    setNames(new Map(names).set(id, name));
    change([...chosen, id]);
  };
  return (
    <LabelledField label={label} help={help} faults={errors}>
      {(attributes) => (
        <>
          <Combobox
            lookup={lookup}
            label={label}
            value=""
            chosen=""
            choose={add}
            none="all"
            refusal={refusal}
            isDisabled={chosen.length >= max}
            attributes={attributes}
          />
          {chosen.length > 0 && (
            <ul className={css.chosen} aria-label="Chosen suites">
              {chosen.map((id) => (
                <li key={id}>
                  <UserLine text={names.get(id) ?? id} />
                  <button
                    type="button"
                    className="plain dense"
                    aria-label={`Remove ${visible(names.get(id) ?? id)}`}
                    onClick={() => change(chosen.filter((one) => one !== id))}
                  >
                    <Icon of={X} />
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </LabelledField>
  );
}
