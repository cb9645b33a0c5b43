import type { ReactNode } from 'react';
import { toText, type Json } from '#lib/contracts/json/json';
import { Combobox, type Lookup } from '../combobox';
import { type At, LabelledField, useField } from './json-form';

export interface PickProps {
  path: At;
  label: string;
  help?: ReactNode;
  /** The label of no choice, which can be made again. */
  none?: string;
  /** The value of no choice. Default: the field is left out. */
  whenEmpty?: Json;
}

interface Props extends PickProps {
  lookup: Lookup;
  /** The name of a chosen value. */
  nameOf: (value: string) => string;
  isDisabled?: boolean;
  /** Called with the choice instead of setting the field. */
  onChoose?: (value: string) => void;
  /** Shown after the control. */
  children?: ReactNode;
}

/** One of many things, found by typing. */
export function PickField({ path, label, help, whenEmpty, nameOf, onChoose, children, ...combobox }: Props) {
  const field = useField(path);
  const value = toText(field.value ?? '');
  const choose = onChoose ?? ((next: string) => field.set(next === '' ? whenEmpty : next));
  return (
    <LabelledField label={label} help={help} faults={field.errors}>
      {(attributes) => {
        const control = (
          <Combobox
            {...combobox}
            {...{ label, value, choose, attributes }}
            refusal={field.refusal}
            chosen={value === '' ? '' : nameOf(value)}
          />
        );
        if (children === undefined) return control;
        return (
          <div className="actions">
            {control}
            {children}
          </div>
        );
      }}
    </LabelledField>
  );
}
