import { useState } from 'react';
import { useField } from '../../../../ui/form/json-form';
import type { Path } from '../../../../ui/form/edited';
import { readValues, valuesOf, valuesText } from './space-value';

/** Values separated by commas. The typed text is kept while it means the same. */
export function ValuesField({ path, label }: { path: Path; label: string }) {
  const field = useField(path);
  const values = valuesOf(field.value);
  const [typed, setTyped] = useState('');
  const isTyped = JSON.stringify(readValues(typed)) === JSON.stringify(values);
  return (
    <div className="field grows">
      <label htmlFor={field.id}>{label}</label>
      <input
        id={field.id}
        type="text"
        autoComplete="off"
        placeholder="0, 0.5, 1"
        readOnly={field.refusal !== undefined}
        value={isTyped ? typed : valuesText(values)}
        onChange={({ target }) => {
          setTyped(target.value);
          field.set(readValues(target.value));
        }}
      />
    </div>
  );
}
