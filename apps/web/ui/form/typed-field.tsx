import type { ReactNode } from 'react';
import { LabelledField } from './labelled-field';
import type { FormFault } from './form-request';

interface Props {
  label: string;
  help?: ReactNode;
  faults: FormFault[];
  value: string;
  change: (value: string) => void;
  /** The keyboard that a phone shows. */
  mode?: 'numeric' | 'decimal';
  maxLength?: number;
  size?: number;
}

/** A single-line input. A number keeps its text. */
export const TypedField = ({ label, help, faults, value, change, mode, maxLength, size }: Props) => (
  <LabelledField label={label} help={help} faults={faults}>
    {(attributes) => (
      <input
        {...attributes}
        dir={mode === undefined ? 'auto' : undefined}
        inputMode={mode}
        autoComplete="off"
        maxLength={maxLength}
        size={size ?? (mode === undefined ? undefined : 8)}
        value={value}
        onChange={({ target }) => change(target.value)}
      />
    )}
  </LabelledField>
);

interface SelectProps extends Pick<Props, 'label' | 'help' | 'faults' | 'value' | 'change'> {
  /** Values with their labels. */
  options: readonly (readonly [value: string, words: string])[];
}

export const SelectField = ({ label, help, faults, value, change, options }: SelectProps) => (
  <LabelledField label={label} help={help} faults={faults}>
    {(attributes) => (
      <select {...attributes} value={value} onChange={({ target }) => change(target.value)}>
        {!options.some(([known]) => known === value) && <option value={value}>{value}</option>}
        {options.map(([known, words]) => (
          <option key={known} value={known}>
            {words}
          </option>
        ))}
      </select>
    )}
  </LabelledField>
);
